import { useCallback, useState } from 'preact/hooks';

import type { Notice } from '../../wire/types';
import { ActionButton } from '../../views/parts/buttons';
import { useScene, useSubscription } from '../../views/scene';

/** Buttons of a notice: to go back to before an earlier run of the cell, or to undo that. */
export function RewindOffer({ item }: { readonly item: Notice }) {
  const { store, actions, t } = useScene();
  const [failure, setFailure] = useState('');
  const [withoutFiles, setWithoutFiles] = useState(false);
  useSubscription(useCallback(listener => store.subscribeSession(listener), [store]));
  const { rewinding } = actions ?? {};
  const { session, turns } = store.view;
  const turn = turns.get(item.turn_id ?? '');
  // It was already done, or undone.
  if (rewinding === undefined || (session?.continues_in ?? '') !== '') {
    return null;
  }
  if (item.offers === 'undo_rewind') {
    return (
      <>
        <div class="row">
          <ActionButton run={() => rewinding.undo(store.sessionId)} onFailure={setFailure}>
            {t('Undo')}
          </ActionButton>
          <ActionButton run={rewinding.restartKernel} onFailure={setFailure}>
            {t('Restart the kernel and run up to here…')}
          </ActionButton>
        </div>
        <Failure text={failure} />
      </>
    );
  }
  if (turn === undefined) {
    return null;
  }
  const goBack = async () => {
    try {
      await rewinding.to(turn, item.target, true);
    } catch (error) {
      setWithoutFiles(isAboutFiles(error));
      throw error;
    }
  };
  return (
    <>
      <div class="row">
        <ActionButton run={goBack} onFailure={setFailure}>
          {t('Go back to here')}
        </ActionButton>
        {withoutFiles && (
          <ActionButton run={() => rewinding.to(turn, item.target, false)} onFailure={setFailure}>
            {t('Go back and leave the files')}
          </ActionButton>
        )}
      </div>
      <Failure text={failure} />
    </>
  );
}

/** Whether only the files can't go back. */
function isAboutFiles(error: unknown): boolean {
  return error instanceof Error && 'reason' in error && String(error.reason).startsWith('changes_');
}

function Failure({ text }: { readonly text: string }) {
  return text === '' ? null : (
    <p role="alert" class="err" dir="auto">
      {text}
    </p>
  );
}
