import { ILabShell, ILayoutRestorer } from '@jupyterlab/application';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, MainAreaWidget, WidgetTracker } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import type { Translate } from '../../views';
import { IAcpClient } from '../../lab/page/client';
import { agentIcon } from '../../lab/page/icon';
import { addToViews } from '../../lab/page/additions';
import { IAcpPanel } from '../../lab/panel/session_panel';
import { trafficItem } from './menu_item';
import type { TrafficWidget } from './traffic_widget';

const TRAFFIC = 'acp-jupyter:traffic';

/** The traffic of a session as a tab of the main area, one for each session. */
export const trafficPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:traffic',
  description: 'Shows the messages between host and agent.',
  autoStart: true,
  requires: [IAcpClient, IAcpPanel],
  optional: [ILayoutRestorer, ICommandPalette, ITranslator, ILabShell],
  activate: (
    app: JupyterFrontEnd,
    client: IAcpClient,
    panel: IAcpPanel,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null,
    translator: ITranslator | null,
    labShell: ILabShell | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const t: Translate = (text, ...values) => trans.__(text, ...values);
    const tracker = new WidgetTracker<MainAreaWidget<TrafficWidget>>({
      namespace: 'acp-jupyter-traffic',
    });
    app.commands.addCommand(TRAFFIC, {
      label: trans.__('Show the Traffic of the Agent Session'),
      caption: trans.__('Show the messages between Jupyter and the agent, as they come'),
      icon: agentIcon,
      isEnabled: args => typeof args['sessionId'] === 'string' || panel.sessionId !== '',
      execute: async args => {
        const { sessionId } = args;
        const id = typeof sessionId === 'string' ? sessionId : panel.sessionId;
        if (id === '') {
          return;
        }
        const { TrafficWidget } = await import('./traffic_widget');
        let widget = tracker.find(({ content }) => content.sessionId === id);
        if (widget === undefined) {
          widget = new MainAreaWidget({ content: new TrafficWidget(app, client, id, t) });
          widget.id = `acp-traffic-${id}`;
          widget.toolbar.hide();
          // The main area of Jupyter Notebook holds its notebook and nothing else.
          app.shell.add(widget, labShell === null ? 'right' : 'main');
          void tracker.add(widget);
        }
        app.shell.activateById(widget.id);
      },
    });
    addToViews(() => {
      const open = (sessionId: string) => void app.commands.execute(TRAFFIC, { sessionId });
      return Promise.resolve({ sessionMenu: trafficItem(open) });
    });
    palette?.addItem({ command: TRAFFIC, category: trans.__('Agents') });
    void restorer?.restore(tracker, {
      command: TRAFFIC,
      args: ({ content }) => ({ sessionId: content.sessionId }),
      name: ({ content }) => content.sessionId,
    });
  },
};
