import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import type { Translate } from '../../../views';
import { deletedCells } from '../../documents/merge/deleted_cells';
import type { DeletedCells } from '../../documents/merge/deleted_cells';
import { IAcpClient } from '../../page/client';
import { IAcpRendering } from '../../rendering/plugin';
import { IAcpCellReview } from './cell_watcher';
import { NotebookTurns } from './notebook_turns';

/** Shows under the cells of open notebooks what agents changed, to keep or revert. */
export const cellReviewPlugin: JupyterFrontEndPlugin<IAcpCellReview> = {
  id: 'acp-jupyter:cell-review',
  description: 'Reviews what agents changed in a notebook at its cells.',
  autoStart: true,
  provides: IAcpCellReview,
  requires: [IAcpClient, INotebookTracker],
  optional: [ITranslator, IAcpRendering],
  activate: (
    _: JupyterFrontEnd,
    client: IAcpClient,
    tracker: INotebookTracker,
    translator: ITranslator | null,
    rendering: IAcpRendering | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const t: Translate = (text, ...values) => trans.__(text, ...values);
    const makers: Parameters<IAcpCellReview['watch']>[0][] = [];
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
            Promise.all(makers.map(make => make(panel))),
          ]).then(([{ CellReview }, watchers]) => {
            if (panel.isDisposed) {
              watchers.forEach(each => each.dispose());
              return;
            }
            const parts = { client, turns, rendering: rendering ?? undefined, watchers, t };
            const review = new CellReview(panel, model, parts);
            panel.disposed.connect(() => {
              review.dispose();
              watchers.forEach(each => each.dispose());
            });
          });
        });
      });
    };
    tracker.forEach(watch);
    tracker.widgetAdded.connect((__, panel) => watch(panel));
    return { watch: make => makers.push(make) };
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
