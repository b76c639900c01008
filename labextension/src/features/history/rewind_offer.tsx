import { useCallback, useRef, useState } from 'preact/hooks';

import type { Addition } from '../../views/additions';
import type { Notice } from '../../wire/types';
import { ActionButton } from '../../views/parts/buttons';
import { useScene, useSubscription } from '../../views/scene';
import type { Rewinding } from './rewinding';

/** What notices offer: to go back, and to undo that. */
export function rewindOffer(rewinding: Rewinding): NonNullable<Addition['offer']> {
  return ({ item }) => <RewindOffer {...{ item, rewinding }} />;
}

interface RewindOfferProps {
  readonly item: Notice;
  readonly rewinding: Rewinding;
}

/** Buttons of a notice: to go back to before an earlier run of the cell, or to undo that. */
function RewindOffer({ item, rewinding }: RewindOfferProps) {
  const { store, host, t } = useScene();
  const row = useRef<HTMLDivElement>(null);
  const [failure, setFailure] = useState('');
  const [withoutFiles, setWithoutFiles] = useState(false);
  useSubscription(useCallback(listener => store.subscribeSession(listener), [store]));
  const { session, turns } = store.view;
  const turn = turns.get(item.turn_id ?? '');
  const clicked = () => ({ host, node: row.current, session });
  // It was already done, or undone.
  if ((session?.continues_in ?? '') !== '') {
    return null;
  }
  if (item.offers === 'undo_rewind') {
    return (
      <>
        <div class="row" ref={row}>
          <ActionButton run={() => rewinding.undo(store.sessionId)} onFailure={setFailure}>
            {t('Undo')}
          </ActionButton>
          <ActionButton run={() => rewinding.restartKernel(clicked())} onFailure={setFailure}>
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
      await rewinding.to(turn, item.target, true, clicked());
    } catch (error) {
      setWithoutFiles(isAboutFiles(error));
      throw error;
    }
  };
  return (
    <>
      <div class="row" ref={row}>
        <ActionButton run={goBack} onFailure={setFailure}>
          {t('Go back to here')}
        </ActionButton>
        {withoutFiles && (
          <ActionButton
            run={() => rewinding.to(turn, item.target, false, clicked())}
            onFailure={setFailure}
          >
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
