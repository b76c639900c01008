import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';

import type { Client } from '../../delivery/client';
import type { Failure } from '../../delivery/failure';
import { NOTICE } from '../../state/ui';
import type { UiState } from '../../state/ui';
import type { Actions, Translate } from '../../views';
import { panelCommands } from '../../views/command_actions';
import type { SessionState } from '../../wire/types';
import type { PageContext } from '../context/page_context';
import { cellsOfNotebook } from '../page/answer_cells';
import { cellNumber, revealCell } from '../page/current_notebook';
import type { CurrentNotebook } from '../page/current_notebook';
import { OPEN_SESSION } from '../page/ids';
import { turnActions } from '../page/turn_actions';

interface PanelParts {
  readonly app: JupyterFrontEnd;
  readonly client: Client;
  readonly notebook: CurrentNotebook;
  readonly context: PageContext;
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
  const { app, client, notebook, context, t } = parts;
  const { show, boundNotebook, refreshAgents, panel } = parts;
  /** The session created last: prompts can be sent before its snapshot arrives. */
  let lastCreated: SessionState | null = null;
  return {
    ...turnActions(app, client, () => panel.session, t),
    ...panelCommands(client.run),
    send: async (sessionId, text, attachments, unpinned) => {
      const known = [panel.session, lastCreated].find(one => one?.session_id === sessionId);
      const prompt = await context.prompt(text, attachments, known ?? null);
      await client.run({ name: 'prompt', session_id: sessionId, prompt, unpinned: [...unpinned] });
    },
    mentions: context.mentions,
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
    loadItems: async (...asked) => {
      await client.loadItems(...asked);
    },
    cells: cellsOfNotebook(boundNotebook, listener => notebook.onActiveCell(listener), t),
    jumpTo: origin =>
      void revealCell(app, notebook, origin).then(cell => cell?.focus({ preventScroll: true })),
    cellNumber: origin => cellNumber(notebook, origin),
    refreshAgents,
    restartAgent: async agentId => {
      const { message } = await client.run({ name: 'restart_agent', agent: agentId });
      tell(panel, message);
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
