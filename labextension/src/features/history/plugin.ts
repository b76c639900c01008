import { ILabShell } from '@jupyterlab/application';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, WidgetTracker } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import type { Translate } from '../../views';
import { IAcpClient } from '../../lab/page/client';
import { CurrentNotebook } from '../../lab/page/current_notebook';
import { agentIcon } from '../../lab/page/icon';
import { addToViews } from '../../lab/page/additions';
import { IAcpRendering } from '../../lab/rendering/plugin';
import type { HistoryWidget } from './history_widget';

const HISTORY = 'acp-jupyter:history';

/** Shows files and cells of a notebook as they were after each of its turns, and goes back. */
export const historyPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:history',
  description: 'Goes through the turns of a notebook, and restores what was.',
  autoStart: true,
  requires: [IAcpClient, INotebookTracker],
  optional: [ICommandPalette, ITranslator, IAcpRendering, ILabShell],
  activate: (
    app: JupyterFrontEnd,
    client: IAcpClient,
    notebooks: INotebookTracker,
    palette: ICommandPalette | null,
    translator: ITranslator | null,
    colours: IAcpRendering | null,
    labShell: ILabShell | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const t: Translate = (text, ...values) => trans.__(text, ...values);
    const notebook = new CurrentNotebook(notebooks);
    const tracker = new WidgetTracker<HistoryWidget>({ namespace: 'acp-jupyter-history' });
    app.commands.addCommand(HISTORY, {
      label: trans.__('Show the History of the Notebook'),
      caption: trans.__('Show files and cells as they were after each turn, and restore them'),
      icon: agentIcon,
      isEnabled: () => notebook.panel !== null,
      execute: async () => {
        const { panel } = notebook;
        if (panel === null) {
          return;
        }
        const { HistoryWidget } = await import('./history_widget');
        let widget = tracker.find(each => each.path === panel.context.localPath);
        if (widget === undefined) {
          widget = new HistoryWidget(panel, { app, client, rendering: colours ?? undefined, t });
          // The main area of Jupyter Notebook holds its notebook and nothing else.
          app.shell.add(widget, labShell === null ? 'right' : 'main', { mode: 'split-right' });
          void tracker.add(widget);
        }
        app.shell.activateById(widget.id);
      },
    });
    addToViews(async () => {
      const [{ rewindOffer }, { rewindingIn }] = await Promise.all([
        import(/* webpackChunkName: "views" */ './rewind_offer'),
        import('./rewinding'),
      ]);
      return { offer: rewindOffer(rewindingIn(app, client, notebook, t)) };
    });
    palette?.addItem({ command: HISTORY, category: trans.__('Agents') });
  },
};
