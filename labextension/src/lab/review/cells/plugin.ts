import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import type { Translate } from '../../../views';
import { deletedCells } from '../../documents/merge/deleted_cells';
import type { DeletedCells } from '../../documents/merge/deleted_cells';
import { IAcpClient } from '../../page/client';
import { agentIcon } from '../../page/icon';
import { CHECK, RUN_STALE } from '../../page/ids';
import { IAcpRendering } from '../../rendering/plugin';
import { NotebookTurns } from './notebook_turns';
import type { StaleCells } from '../../../features/checks/stale/stale_cells';

/** Shows under the cells of open notebooks what agents changed, to keep or revert. */
export const cellReviewPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:cell-review',
  description: 'Reviews what agents changed in a notebook at its cells.',
  autoStart: true,
  requires: [IAcpClient, INotebookTracker],
  optional: [ITranslator, IAcpRendering, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    client: IAcpClient,
    tracker: INotebookTracker,
    translator: ITranslator | null,
    rendering: IAcpRendering | null,
    palette: ICommandPalette | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const t: Translate = (text, ...values) => trans.__(text, ...values);
    const marks = new WeakMap<NotebookPanel, StaleCells>();
    const watch = (panel: NotebookPanel) => {
      void panel.context.ready.then(() => {
        const { model } = panel.content;
        if (panel.isDisposed || model === null) {
          return;
        }
        const turns = new NotebookTurns(client, panel.context);
        panel.disposed.connect(() => turns.dispose());
        whenAny(turns, deletedCells(model), () => {
          void Promise.all([
            import('./cell_review'),
            import('../../../features/checks/stale/stale_cells'),
          ]).then(([{ CellReview }, { StaleCells }]) => {
            if (panel.isDisposed) {
              return;
            }
            const path = () => panel.context.localPath;
            const check = () => void app.commands.execute(CHECK, { path: path() });
            const stale = new StaleCells(panel, { client, check, t });
            marks.set(panel, stale);
            const parts = { client, turns, rendering: rendering ?? undefined, stale, t };
            const review = new CellReview(panel, model, parts);
            panel.disposed.connect(() => {
              review.dispose();
              stale.dispose();
            });
          });
        });
      });
    };
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
    tracker.forEach(watch);
    tracker.widgetAdded.connect((_, panel) => watch(panel));
  },
};

/** Calls back at the first change by an agent; only then the review's code is loaded. */
function whenAny(turns: NotebookTurns, deleted: DeletedCells, act: () => void): void {
  const stops: (() => void)[] = [];
  const check = () => {
    if (turns.all().length > 0 || deleted.all.length > 0) {
      stops.splice(0).forEach(stop => stop());
      act();
    }
  };
  stops.push(turns.changed.add(check), deleted.changed.add(check));
  check();
}
