import { ILabShell } from '@jupyterlab/application';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, WidgetTracker } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import type { Translate } from '../../views';
import { CurrentNotebook, scrollToCell } from '../../lab/page/current_notebook';
import { agentIcon } from '../../lab/page/icon';
import { addToViews } from '../../lab/page/additions';
import { IAcpClient } from '../../lab/page/client';
import { IAcpCellReview } from '../../lab/review/cells/cell_watcher';
import type { StaleCells } from './stale/stale_cells';
import type { CheckWidget } from './check_widget';

const CHECK = 'acp-jupyter:check';

const RUN_STALE = 'acp-jupyter:run-stale';

/** Runs a copy of the notebook in a second kernel, and says which outputs are the same. */
export const checkPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:check',
  description: 'Checks if the outputs of a notebook are still what its cells print.',
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
    addToViews(async () => {
      const { checkButton } = await import(/* webpackChunkName: "views" */ './check_button');
      return { reviewHead: checkButton(path => void app.commands.execute(CHECK, { path })) };
    });
    palette?.addItem({ command: CHECK, category: trans.__('Agents') });
  },
};

/** Marks the cells whose inputs an agent has changed since they ran. */
export const staleCellsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:stale-cells',
  description: 'Marks cells that are stale after changes by agents.',
  autoStart: true,
  requires: [IAcpClient, INotebookTracker, IAcpCellReview],
  optional: [ICommandPalette, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    client: IAcpClient,
    tracker: INotebookTracker,
    review: IAcpCellReview,
    palette: ICommandPalette | null,
    translator: ITranslator | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const t: Translate = (text, ...values) => trans.__(text, ...values);
    const marks = new WeakMap<NotebookPanel, StaleCells>();
    review.watch(async panel => {
      const { StaleCells } = await import('./stale/stale_cells');
      const check = () => void app.commands.execute(CHECK, { path: panel.context.localPath });
      const stale = new StaleCells(panel, { client, check, t });
      marks.set(panel, stale);
      return stale;
    });
    const current = () => {
      const panel = tracker.currentWidget;
      return panel === null ? undefined : marks.get(panel);
    };
    app.commands.addCommand(RUN_STALE, {
      label: trans.__('Run the Stale Cells'),
      caption: trans.__('Run the cells whose inputs an agent has changed, from the top'),
      icon: agentIcon,
      isEnabled: () => current()?.any === true,
      execute: () => current()?.run(),
    });
    palette?.addItem({ command: RUN_STALE, category: trans.__('Agents') });
  },
};
