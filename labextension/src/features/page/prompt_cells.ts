import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import type { ICellModel } from '@jupyterlab/cells';
import { INotebookTracker } from '@jupyterlab/notebook';
import type { Notebook, NotebookPanel } from '@jupyterlab/notebook';

import { isPromptCell } from './answer_cells';

/** Prompts are prose, in which names stand between backticks. */
const PROSE = 'text/x-ipythongfm';

/** Colours the prompts of a notebook as the prose that they are, not as Python. */
export const promptCellsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:prompt-cells',
  description: 'Shows the prompts of agents as prose.',
  autoStart: true,
  requires: [INotebookTracker],
  activate: (_: JupyterFrontEnd, tracker: INotebookTracker) => {
    tracker.widgetAdded.connect((__, panel) => watch(panel));
  },
};

function watch({ content, context }: NotebookPanel): void {
  void context.ready.then(() => {
    const cells = content.model?.cells;
    const watched = new WeakSet<ICellModel>();
    const watchAll = () => {
      for (const model of cells ?? []) {
        if (model.type === 'code' && !watched.has(model)) {
          watched.add(model);
          watchCell(content, model);
        }
      }
    };
    cells?.changed.connect(watchAll);
    watchAll();
  });
}

function watchCell(notebook: Notebook, model: ICellModel): void {
  const colour = () => {
    const wanted = isPromptCell(model.sharedModel.source) ? PROSE : notebook.codeMimetype;
    if (model.mimeType !== wanted) {
      model.mimeType = wanted;
    }
  };
  model.contentChanged.connect(colour);
  // The notebook sets it when it learns the kernel's language.
  model.mimeTypeChanged.connect(colour);
  colour();
}
