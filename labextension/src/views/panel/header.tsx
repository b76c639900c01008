import type { RefObject } from 'preact';
import { useCallback } from 'preact/hooks';

import { pendingRequest } from '../../state/items';
import type { SessionView } from '../../state/session_view';
import type { AgentEntry, SessionState } from '../../wire/types';
import { plural } from '../i18n';
import type { ExportFormat } from '../actions';
import { AllowAll, IconButton, messageOf } from '../parts/buttons';
import { Disclosure } from '../parts/disclosure';
import { Icon } from '../parts/icons';
import { Menu } from '../parts/menu';
import type { MenuItem } from '../parts/menu';
import { TitleText } from '../parts/odd_characters';
import { WallsBadge, WallsNote } from '../sandbox/walls';
import { goToPermission } from '../request/permission';
import { useAdditions, useAllAdditions, useScene, useSubscription } from '../scene';
import { NewSession } from './agents/agents';
import { Rules, rulesId } from './rules';

interface PanelHeaderProps {
  readonly root: RefObject<HTMLElement | null>;
  readonly onList: () => void;
  readonly agents: readonly AgentEntry[];
  readonly onStart: ((agentId: string) => void) | null;
  readonly onAdd: () => void;
  /** More items in the menu of new sessions. */
  readonly more: readonly MenuItem[];
  readonly onFailure: (message: string) => void;
}

/** The panel's header: the session's title, waiting requests, and buttons for other sessions. */
export function PanelHeader(props: PanelHeaderProps) {
  const { root, onList, agents, onStart, onAdd, more, onFailure } = props;
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
          <TitleText
            text={session === null || session.title === '' ? t('New session') : session.title}
          />
        </h2>
        {session !== null && isAllowed(session, store.view.turns) && (
          <AllowAll sessionId={session.session_id} onFailure={onFailure} />
        )}
        <WallsBadge session={session} />
        {waiting > 0 && (
          <button type="button" class="badge warn" title={t('Go to the question')} onClick={go}>
            {plural(t, waiting, '1 waiting', '%1 waiting')}
          </button>
        )}
        <IconButton icon="history" label={t('Sessions')} onClick={onList} />
        {onStart !== null && <NewSession {...{ agents, t, onStart, onAdd, more }} />}
        {session !== null && <MoreMenu {...{ session, onFailure }} />}
      </div>
      {session !== null && <Where session={session} />}
      <WallsNote session={session} />
      {session !== null && <SessionDetails session={session} />}
      {session !== null && <Rules session={session} />}
    </>
  );
}

/** Whether the policy of the session or of the running turn allows everything. */
function isAllowed(session: SessionState, turns: SessionView['turns']): boolean {
  const running = turns.get(session.active_turn_id ?? '');
  return [session, running].some(each => each?.policy === 'allow-all');
}

function Where({ session }: { readonly session: SessionState }) {
  const added = useAdditions('panelHead');
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
      {added.map((Added, index) => (
        <Added key={index} session={session} />
      ))}
    </div>
  );
}

/** The model and tools that the agent reports, as one line that opens. */
export function SessionDetails({ session }: { readonly session: SessionState }) {
  const { t } = useScene();
  const { model, tools, logged_in: login } = session;
  const words = [
    login === '' ? '' : t('Login: %1', login),
    model === '' ? '' : t('Model %1', model),
    tools.length === 0 ? '' : plural(t, tools.length, '1 tool', '%1 tools'),
  ].filter(part => part !== '');
  if (words.length === 0) {
    return null;
  }
  return (
    <Disclosure
      id={`details ${session.session_id}`}
      standard={false}
      class="acp-details"
      attributes={{ role: 'group', 'aria-label': t('Session details') }}
      line={<span class="cut grow">{words.join(' · ')}</span>}
      body={() => (
        <ul role="list" aria-label={t('Tools')}>
          {tools.map((tool, index) => (
            <li key={index}>{tool}</li>
          ))}
        </ul>
      )}
    />
  );
}

interface MoreMenuProps {
  readonly session: SessionState;
  readonly onFailure: (message: string) => void;
}

/** A menu of rarely used actions on the session. */
export function MoreMenu({ session, onFailure }: MoreMenuProps) {
  const { store, actions, t } = useScene();
  const additions = useAllAdditions(actions);
  const items: MenuItem[] = [];
  if (actions?.listRules !== undefined) {
    const show = () => store.ui.setOpen(rulesId(session), true);
    items.push({ name: t('Permission rules'), onChoose: show });
  }
  const { session_id: sessionId } = session;
  items.push(...additions.itemsOf({ sessionId, where: 'panel', t, onFailure }));
  const write = actions?.exportSession;
  if (write !== undefined) {
    const run = (format: ExportFormat) => {
      write(sessionId, format).catch((error: unknown) => onFailure(messageOf(error)));
    };
    items.push(
      { name: t('Export as Markdown'), onChoose: () => run('markdown') },
      { name: t('Export as HTML'), onChoose: () => run('html') },
    );
  }
  return items.length === 0 ? null : (
    <Menu label={t('More')} items={items}>
      <Icon name="more" />
    </Menu>
  );
}
