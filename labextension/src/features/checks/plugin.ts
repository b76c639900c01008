import { ILabShell } from '@jupyterlab/application';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, WidgetTracker } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import type { Translate } from '../../views';
import { CurrentNotebook, scrollToCell } from '../../lab/page/current_notebook';
import { agentIcon } from '../../lab/page/icon';
import { CHECK } from '../../lab/page/ids';
import type { CheckWidget } from './check_widget';

/** Runs a copy of the notebook in a second kernel, and says which outputs are the same. */
export const checkPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:check',
  description: 'Checks whether the outputs of a notebook are what its cells give.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ICommandPalette, ITranslator, ILabShell],
  activate: (
    app: JupyterFrontEnd,
    notebooks: INotebookTracker,
    palette: ICommandPalette | null,
    translator: ITranslator | null,
    labShell: ILabShell | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const t: Translate = (text, ...values) => trans.__(text, ...values);
    const notebook = new CurrentNotebook(notebooks);
    const tracker = new WidgetTracker<CheckWidget>({ namespace: 'acp-jupyter-check' });
    app.commands.addCommand(CHECK, {
      label: trans.__('Check the Notebook in a Second Kernel'),
      caption: trans.__(
        'Run a copy from the top, and say of each cell whether its output is the same',
      ),
      icon: agentIcon,
      isEnabled: args => typeof args['path'] === 'string' || notebook.panel !== null,
      execute: async args => {
        const path = typeof args['path'] === 'string' ? args['path'] : notebook.path;
        if (path === '') {
          return;
        }
        if (notebook.find(path) === null) {
          await app.commands.execute('docmanager:open', { path });
          await notebook.find(path)?.context.ready;
        }
        const { CheckWidget } = await import('./check_widget');
        let widget = tracker.find(each => each.path === path);
        if (widget === undefined) {
          widget = new CheckWidget(path, {
            settings: app.serviceManager.serverSettings,
            t,
            find: () => notebook.find(path),
            goTo: id => {
              const panel = notebook.find(path);
              if (panel !== null) {
                app.shell.activateById(panel.id);
                void scrollToCell(panel, id).then(cell => cell?.focus({ preventScroll: true }));
              }
            },
          });
          // The main area of Jupyter Notebook holds its notebook and nothing else.
          app.shell.add(widget, labShell === null ? 'right' : 'main', { mode: 'split-right' });
          void tracker.add(widget);
        }
        app.shell.activateById(widget.id);
        void widget.start();
      },
    });
    palette?.addItem({ command: CHECK, category: trans.__('Agents') });
  },
};
