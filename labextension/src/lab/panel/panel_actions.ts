import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { PageConfig } from '@jupyterlab/coreutils';
import type { NotebookPanel } from '@jupyterlab/notebook';

import type { Client } from '../../delivery/client';
import type { Failure } from '../../delivery/failure';
import { NOTICE } from '../../state/ui';
import type { UiState } from '../../state/ui';
import type { Actions, Translate } from '../../views';
import type { SessionState } from '../../wire/types';
import type { PageContext } from '../context/page_context';
import { cellsOfNotebook } from '../page/answer_cells';
import { cellNumber, revealCell } from '../page/current_notebook';
import type { CurrentNotebook } from '../page/current_notebook';
import type { Follows } from '../../features/follow/follows';
import { OPEN_SESSION, TRAFFIC } from '../page/ids';
import { rewindingIn } from '../../features/history/rewinding';
import { turnActions } from '../page/turn_actions';

interface PanelParts {
  readonly app: JupyterFrontEnd;
  readonly client: Client;
  readonly notebook: CurrentNotebook;
  readonly context: PageContext;
  readonly follows: Follows;
  readonly t: Translate;
  readonly show: (sessionId: string) => void;
  readonly boundNotebook: () => NotebookPanel | null;
  readonly refreshAgents: () => Promise<void>;
  readonly panel: Shown;
}

interface Shown {
  /** The state of the session shown, if it is loaded. */
  readonly session: SessionState | null;
  readonly isVisible: boolean;
  readonly ui: UiState;
}

/**
 * Shows the result of an action: over the message box, or as a notification if that is hidden.
 *
 * The notification of a failure stays until it is closed.
 */
export function tell(
  { isVisible, ui }: Pick<Shown, 'isVisible' | 'ui'>,
  result: string | Failure,
): void {
  const words = typeof result === 'string' ? result : result.message;
  if (isVisible) {
    ui.setValue(NOTICE, words);
  } else if (typeof result === 'string') {
    Notification.info(words, { autoClose: 5_000 });
  } else {
    Notification.error(words);
  }
}

/** The actions of the side panel. */
export function panelActions(parts: PanelParts): Actions {
  const { app, client, notebook, context, follows, t } = parts;
  const { show, boundNotebook, refreshAgents, panel } = parts;
  /** The session created last: prompts can be sent before its snapshot arrives. */
  let lastCreated: SessionState | null = null;
  return {
    ...turnActions(app, client, () => panel.session, t),
    send: async (sessionId, text, attachments) => {
      const known = [panel.session, lastCreated].find(one => one?.session_id === sessionId);
      await client.send(sessionId, await context.prompt(text, attachments, known ?? null));
    },
    mentions: context.mentions,
    follow: {
      of: sessionId => follows.of(sessionId),
      set: (sessionId, on) => follows.set(sessionId, on ? 'on' : 'off'),
      onChange: listener => follows.changed.add(listener),
    },
    createSession: async (agent, policy, sandbox, network) => {
      const created = await client.createSession({
        agent,
        policy,
        sandbox,
        network,
        notebook_path: notebook.path,
        new: true,
      });
      lastCreated = created;
      show(created.session_id);
      return created.session_id;
    },
    openSession: (sessionId, turnId) => {
      if (turnId === undefined || turnId === '') {
        show(sessionId);
      } else {
        void app.commands.execute(OPEN_SESSION, { sessionId, turnId });
      }
    },
    closeSession: sessionId => client.closeSession(sessionId),
    listRules: sessionId => client.permissions.rules(sessionId),
    revokeRule: ruleId => client.permissions.revoke(ruleId),
    outside: {
      url: new URL(PageConfig.getBaseUrl(), location.href).href,
      notebook: () => notebook.path,
      list: () => client.permissions.keys(),
      make: (path, policy) => client.permissions.makeKey(path, policy),
      revoke: keyId => client.permissions.revokeKey(keyId),
    },
    loadItems: async (...asked) => {
      await client.loadItems(...asked);
    },
    cells: cellsOfNotebook(boundNotebook, listener => notebook.onActiveCell(listener), t),
    jumpTo: origin =>
      void revealCell(app, notebook, origin).then(cell => cell?.focus({ preventScroll: true })),
    cellNumber: origin => cellNumber(notebook, origin),
    life: {
      run: command => client.life.run(command),
      fork: sessionId => client.life.fork(sessionId),
      archive: (sessionId, archived) => client.life.archive(sessionId, archived),
      listOfAgent: (agent, cursor, archived) => client.life.listOfAgent(agent, cursor, archived),
      openOfAgent: (agent, session, trust) => client.life.openOfAgent(agent, session, trust),
    },
    rewinding: rewindingIn(
      app,
      client,
      cellId => {
        const bound = boundNotebook();
        return bound && { panel: bound, cellId };
      },
      t,
    ),
    openTraffic: sessionId => void app.commands.execute(TRAFFIC, { sessionId }),
    search: (text, cursor) => client.life.search(text, cursor),
    removeQueued: (sessionId, turnId) => client.cancel(sessionId, turnId),
    editQueued: (turnId, text) => client.editQueued(turnId, text),
    sendNow: turnId => client.sendNow(turnId),
    steer: turnId => client.steer(turnId),
    refreshAgents,
    login: (sessionId, methodId) => client.logins.login(sessionId, methodId),
    cancelLogin: sessionId => client.logins.cancelLogin(sessionId),
    allowDownload: (agentId, shown, run) => client.logins.allowDownload(agentId, shown, run),
    registry: () => client.logins.registry(),
    updateRegistry: () => client.logins.updateRegistry(),
    restartAgent: async agentId => {
      tell(panel, await client.logins.restartAgent(agentId));
    },
    openTerminal: name => {
      if (app.commands.hasCommand('terminal:open')) {
        void app.commands.execute('terminal:open', { name });
      } else {
        tell(panel, t('Open terminal %1 to log in.', name));
      }
    },
  };
}
