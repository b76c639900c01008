import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';

import type { Client } from '../delivery/client';
import type { Actions, Translate } from '../views';
import type { SessionState } from '../wire/types';
import { turnActions } from './actions';
import { cellsOfNotebook } from './answerCells';
import type { PageContext } from './context';
import type { CurrentNotebook } from './currentNotebook';
import { exportSession } from './exporting';
import { cellNumber, revealCell } from './reveal';

interface PanelMeans {
  readonly app: JupyterFrontEnd;
  readonly client: Client;
  readonly notebook: CurrentNotebook;
  readonly context: PageContext;
  readonly t: Translate;
  /** The session shown, as far as it is known. */
  readonly session: () => SessionState | null;
  readonly show: (sessionId: string) => void;
  readonly boundNotebook: () => NotebookPanel | null;
  readonly refreshAgents: () => Promise<void>;
}

/** What can be done in the side panel. */
export function panelActions(means: PanelMeans): Actions {
  const { app, client, notebook, context, t, session, show, boundNotebook, refreshAgents } = means;
  /** The session made last: it can be written to before its snapshot is here. */
  let madeLast: SessionState | null = null;
  return {
    ...turnActions(app, client, session, t),
    send: async (sessionId, text, attachments) => {
      const known = [session(), madeLast].find(one => one?.session_id === sessionId);
      await client.send(sessionId, await context.prompt(text, attachments, known ?? null));
    },
    mentions: context.mentions,
    createSession: async agent => {
      const made = await client.createSession({
        agent,
        notebook_path: notebook.path,
        new: true,
      });
      madeLast = made;
      show(made.session_id);
      return made.session_id;
    },
    openSession: show,
    closeSession: sessionId => client.closeSession(sessionId),
    listRules: sessionId => client.permissions.rules(sessionId),
    revokeRule: ruleId => client.permissions.revoke(ruleId),
    loadItems: async (sessionId, start, end) => {
      await client.loadItems(sessionId, start, end);
    },
    cells: cellsOfNotebook(boundNotebook, listener => notebook.onActiveCell(listener), t),
    jumpTo: origin => void revealCell(app, notebook, origin),
    cellNumber: origin => cellNumber(notebook, origin),
    life: {
      resume: sessionId => client.life.resume(sessionId),
      fork: sessionId => client.life.fork(sessionId),
      remove: sessionId => client.life.remove(sessionId),
      listOfAgent: (agent, cursor) => client.life.listOfAgent(agent, cursor),
      openOfAgent: (agent, session, trust) => client.life.openOfAgent(agent, session, trust),
    },
    traffic: (sessionId, query) => client.life.traffic(sessionId, query),
    trafficLine: (sessionId, place) => client.life.trafficLine(sessionId, place),
    exportSession: (sessionId, format) => exportSession(app, sessionId, format),
    removeQueued: (sessionId, turnId) => client.cancel(sessionId, turnId),
    editQueued: (turnId, text) => client.editQueued(turnId, text),
    sendNow: turnId => client.sendNow(turnId),
    refreshAgents,
    login: (sessionId, methodId) => client.logins.login(sessionId, methodId),
    cancelLogin: sessionId => client.logins.cancelLogin(sessionId),
    allowDownload: (agentId, shown) => client.logins.allowDownload(agentId, shown),
    restartAgent: async agentId => {
      Notification.info(await client.logins.restartAgent(agentId), { autoClose: 5_000 });
    },
    openTerminal: name => {
      if (app.commands.hasCommand('terminal:open')) {
        void app.commands.execute('terminal:open', { name });
      } else {
        Notification.info(t('Open terminal %1 to log in.', name), { autoClose: 10_000 });
      }
    },
  };
}
