import { useCallback, useState } from 'preact/hooks';

import { ErrorNote } from '../items/note';
import { AllowAll } from '../parts/allow_all';
import { useSubscription } from '../parts/hooks';
import { Icon } from '../parts/icons';
import { useScene } from '../parts/scene';
import { Visible } from '../parts/visible';
import { agentOf, currentName, titleOf } from './facts';

/** The first line of a turn: agent, session and mode, folder. */
export function TurnHead({ turnId }: { readonly turnId: string }) {
  const { store, t } = useScene();
  useSubscription(useCallback(listener => store.subscribeSession(listener), [store]));
  const { view } = store;
  const turn = view.turns.get(turnId);
  // A session that nobody has named is called after a prompt, and its cell shows that itself.
  const called = titleOf(view);
  const turns = [...view.turns.values()];
  const title = turns.some(({ prompt }) => prompt.trim().startsWith(called)) ? '' : called;
  const words = [title, currentName(view.session, 'mode')].filter(word => word !== '');
  const [failure, setFailure] = useState('');
  // A turn that is over tells its policy in the footer.
  const over = turn?.status === 'done' && view.saved === null;
  const policy = over ? view.session?.policy : turn?.policy;
  return (
    <>
      <div class="acp-head">
        <Icon name="agent" />
        <b>{agentOf(view).name || t('Agent')}</b>
        <span class="cut grow" dir="auto">
          <Visible text={words.join(' · ')} strictness="controls" />
        </span>
        {policy === 'allow-all' && <AllowAll sessionId={view.sessionId} onFailure={setFailure} />}
        {view.session !== null && (
          <span class="where" dir="ltr">
            {view.session.folder}
          </span>
        )}
      </div>
      {failure !== '' && <ErrorNote message={failure} detail="" />}
    </>
  );
}
