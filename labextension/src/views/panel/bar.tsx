import type { RefObject } from 'preact';
import { useCallback } from 'preact/hooks';

import { pendingRequest } from '../../state/asking';
import type { SessionView } from '../../state/view';
import type { AgentEntry, SessionState } from '../../wire/types';
import { goToPermission } from '../items/permission';
import { AllowAll } from '../parts/allow_all';
import { IconButton } from '../parts/buttons';
import { plural } from '../parts/format';
import { useSubscription } from '../parts/hooks';
import { Icon } from '../parts/icons';
import { useScene } from '../parts/scene';
import { Visible } from '../parts/visible';
import { SessionDetails } from './details';
import { MoreMenu } from './more';
import { NewSession } from './new_session';
import { Rules } from './rules';

interface PanelHeaderProps {
  readonly root: RefObject<HTMLElement | null>;
  readonly onList: () => void;
  readonly onTraffic: (() => void) | null;
  readonly agents: readonly AgentEntry[];
  readonly onStart: ((agentId: string) => void) | null;
  readonly onFailure: (message: string) => void;
}

/** The panel's header: which session, what waits, other sessions. */
export function PanelHeader({
  root,
  onList,
  onTraffic,
  agents,
  onStart,
  onFailure,
}: PanelHeaderProps) {
  const { store, t } = useScene();
  useSubscription(useCallback(listener => store.subscribeSession(listener), [store]));
  const { session } = store.view;
  const waiting = session?.waiting ?? 0;
  const go = () => {
    for (const item of store.view.items.values()) {
      const request = pendingRequest(item);
      if (request !== null) {
        goToPermission(root.current, request);
        return;
      }
    }
  };
  return (
    <>
      <div class="acp-bar">
        <h2 class="cut grow" dir="auto" title={session?.title}>
          <Visible
            text={session === null || session.title === '' ? t('New session') : session.title}
            strictness="controls"
          />
        </h2>
        {session !== null && isAllowed(session, store.view.turns) && (
          <AllowAll sessionId={session.session_id} onFailure={onFailure} />
        )}
        {waiting > 0 && (
          <button type="button" class="badge warn" title={t('Go to the question')} onClick={go}>
            {plural(t, waiting, '1 waiting', '%1 waiting')}
          </button>
        )}
        <IconButton icon="history" label={t('Sessions')} onClick={onList} />
        {onStart !== null && <NewSession agents={agents} t={t} onStart={onStart} />}
        {session !== null && <MoreMenu {...{ session, onTraffic, onFailure }} />}
      </div>
      {session !== null && <Where session={session} />}
      {session !== null && <SessionDetails session={session} />}
      {session !== null && <Rules session={session} />}
    </>
  );
}

/** Whether nothing is asked: by the session's policy, or by that of the turn that runs. */
function isAllowed(session: SessionState, turns: SessionView['turns']): boolean {
  const running = turns.get(session.active_turn_id ?? '');
  return [session, running].some(each => each?.policy === 'allow-all');
}

function Where({ session }: { readonly session: SessionState }) {
  const { notebook_path: notebook, folder } = session;
  return (
    <div class="acp-where">
      <Icon name={notebook === '' ? 'folder' : 'cell'} small />
      {notebook !== '' && (
        <span class="cut grow" title={notebook} dir="ltr">
          {notebook.slice(notebook.lastIndexOf('/') + 1)}
        </span>
      )}
      <span class={notebook === '' ? 'cut grow' : 'cut acp-folder'} title={folder} dir="ltr">
        {folder}
      </span>
    </div>
  );
}
