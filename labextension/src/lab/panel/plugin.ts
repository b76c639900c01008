import { ILayoutRestorer } from '@jupyterlab/application';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { Failure } from '../../delivery/failure';
import { GO_TO } from '../../state/ui';
import type { Logout, RestartAgent } from '../../wire/types';
import { IAcpClient } from '../page/client';
import { CurrentNotebook } from '../page/current_notebook';
import { agentIcon } from '../page/icon';
import { GO_TO_PERMISSION, OPEN_SESSION, PANEL_ID, SETTINGS } from '../page/ids';
import { IAcpRendering } from '../rendering/plugin';
import { Permissions } from './go_to_permission';
import { tell } from './panel_actions';
import { IAcpPanel, SessionPanel } from './session_panel';
import { UndrawnRequests } from './undrawn_requests';

const TOGGLE_PANEL = 'acp-jupyter:toggle-panel';

const STOP = 'acp-jupyter:stop';

const RESTART = 'acp-jupyter:restart-agent';

const LOGOUT = 'acp-jupyter:log-out';

/** The side panel with its commands. */
export const panelPlugin: JupyterFrontEndPlugin<IAcpPanel> = {
  id: SETTINGS,
  description: 'A side panel for the sessions of agents.',
  autoStart: true,
  provides: IAcpPanel,
  requires: [IAcpClient],
  optional: [ILayoutRestorer, ICommandPalette, INotebookTracker, ITranslator, IAcpRendering],
  activate: (
    app: JupyterFrontEnd,
    client: IAcpClient,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null,
    tracker: INotebookTracker | null,
    translator: ITranslator | null,
    rendering: IAcpRendering | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const notebook = new CurrentNotebook(tracker);
    const panel = new SessionPanel({
      app,
      client,
      notebook,
      rendering: rendering ?? undefined,
      t: (text, ...values) => trans.__(text, ...values),
    });
    app.shell.add(panel, 'right', { rank: 500 });
    restorer?.add(panel, PANEL_ID);

    const show = async (sessionId: string) => {
      panel.openSession(sessionId);
      app.shell.activateById(PANEL_ID);
      await panel.drawn;
      return panel.node;
    };
    /** Shows the answer to a command, or its failure. */
    const tellResult = async (command: Logout | RestartAgent) => {
      const answer = client.run(command).then(({ message }) => message);
      tell(panel, await answer.catch((error: unknown) => Failure.from(error)));
    };
    const permissions = new Permissions(app, client, notebook, show);
    new UndrawnRequests(client, notebook);

    app.commands.addCommand(TOGGLE_PANEL, {
      label: trans.__('Show or Hide Agent Sessions'),
      icon: agentIcon,
      execute: () => {
        if (panel.isVisible && canCollapse(app.shell)) {
          const hadFocus = panel.node.contains(document.activeElement);
          app.shell.collapseRight();
          const { currentWidget } = app.shell;
          if (hadFocus && currentWidget !== null) {
            app.shell.activateById(currentWidget.id);
          }
        } else {
          app.shell.activateById(PANEL_ID);
        }
      },
    });
    app.commands.addCommand(STOP, {
      label: trans.__('Stop the Agent'),
      caption: trans.__('Stop the running turn of this notebook, or of the session in the panel'),
      execute: async () => {
        const running = (client.sessions ?? []).filter(
          ({ status }) => status === 'running' || status === 'requires_action',
        );
        const here = running.filter(session => session.notebook_path === notebook.path);
        const shown = running.filter(session => session.session_id === panel.sessionId);
        const chosen = here.length > 0 ? here : shown;
        await Promise.all(
          chosen.map(({ session_id }) => client.run({ name: 'cancel', session_id })),
        );
      },
    });
    app.commands.addCommand(GO_TO_PERMISSION, {
      label: trans.__('Go to the Waiting Permission Request'),
      execute: () => permissions.goTo(),
    });
    app.commands.addCommand(RESTART, {
      label: trans.__('Restart the Agent'),
      caption: trans.__('End the agent of the session in the panel; the next message starts it'),
      isEnabled: () => panel.session !== null,
      execute: async () => {
        if (panel.session !== null) {
          const { agent } = panel.session;
          await tellResult({ name: 'restart_agent', agent });
        }
      },
    });
    app.commands.addCommand(LOGOUT, {
      label: trans.__('Log Out of the Agent'),
      caption: trans.__('Log out of the agent of the session in the panel'),
      isEnabled: () => panel.session?.can.includes('logout') === true,
      execute: async () => {
        if (panel.session !== null) {
          const { session_id } = panel.session;
          await tellResult({ name: 'logout', session_id });
        }
      },
    });
    app.commands.addCommand(OPEN_SESSION, {
      label: trans.__('Open an Agent Session in the Panel'),
      isVisible: () => false,
      execute: args => {
        const { sessionId, turnId, onlyIfShown } = args;
        if (typeof sessionId === 'string' && (onlyIfShown !== true || panel.isVisible)) {
          void show(sessionId).then(() => {
            if (typeof turnId === 'string' && panel.sessionId === sessionId) {
              panel.ui.setValue(GO_TO, turnId);
            }
          });
        }
      },
    });
    for (const command of [TOGGLE_PANEL, STOP, GO_TO_PERMISSION, RESTART, LOGOUT]) {
      palette?.addItem({ command, category: trans.__('Agents') });
    }
    return panel;
  },
};

/** JupyterLab's and Notebook's shells can both do this, but share no interface for it. */
function canCollapse(shell: object): shell is { collapseRight(): void } {
  return 'collapseRight' in shell && typeof shell.collapseRight === 'function';
}
