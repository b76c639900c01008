import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import type { Translate } from '../../../views';
import { IAcpClient } from '../../page/client';
import { IAcpRendering } from '../../rendering/plugin';
import { NotebookTurns } from './notebook_turns';

/** Shows under the cells of open notebooks what agents changed, to keep or revert. */
export const cellReviewPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:cell-review',
  description: 'Reviews what agents changed in a notebook at its cells.',
  autoStart: true,
  requires: [IAcpClient, INotebookTracker],
  optional: [ITranslator, IAcpRendering],
  activate: (
    _app: JupyterFrontEnd,
    client: IAcpClient,
    tracker: INotebookTracker,
    translator: ITranslator | null,
    rendering: IAcpRendering | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const t: Translate = (text, ...values) => trans.__(text, ...values);
    const watch = (panel: NotebookPanel) => {
      void panel.context.ready.then(() => {
        if (panel.isDisposed) {
          return;
        }
        const turns = new NotebookTurns(client, panel.context);
        panel.disposed.connect(() => turns.dispose());
        whenAny(turns, () => {
          void import('./cell_review').then(({ CellReview }) => {
            if (panel.isDisposed || panel.content.model === null) {
              return;
            }
            const parts = { client, turns, rendering: rendering ?? undefined, t };
            const review = new CellReview(panel, panel.content.model, parts);
            panel.disposed.connect(() => review.dispose());
          });
        });
      });
    };
    tracker.forEach(watch);
    tracker.widgetAdded.connect((_, panel) => watch(panel));
  },
};

/** Calls back at the first turn that changed the notebook; only then the review's code is loaded. */
function whenAny(turns: NotebookTurns, act: () => void): void {
  if (turns.all().length > 0) {
    act();
    return;
  }
  const stop = turns.changed.add(() => {
    if (turns.all().length > 0) {
      stop();
      act();
    }
  });
}
