import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import type { ICellModel } from '@jupyterlab/cells';
import { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
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
  requires: [INotebookTracker, IEditorLanguageRegistry],
  activate: (_: JupyterFrontEnd, tracker: INotebookTracker, languages: IEditorLanguageRegistry) => {
    tracker.widgetAdded.connect((__, panel) => watch(panel, languages));
  },
};

function watch({ content, context }: NotebookPanel, languages: IEditorLanguageRegistry): void {
  void context.ready.then(() => {
    const cells = content.model?.cells;
    const watched = new WeakSet<ICellModel>();
    const watchAll = () => {
      for (const model of cells ?? []) {
        if (model.type === 'code' && !watched.has(model)) {
          watched.add(model);
          watchCell(content, model, languages);
        }
      }
    };
    cells?.changed.connect(watchAll);
    watchAll();
  });
}

function watchCell(
  notebook: Notebook,
  model: ICellModel,
  languages: IEditorLanguageRegistry,
): void {
  const wanted = () => (isPromptCell(model.sharedModel.source) ? PROSE : notebook.codeMimetype);
  const colour = () => {
    if (model.mimeType === wanted()) {
      return;
    }
    // An editor shows the language that was loaded last, not the one that was set last.
    const known = [model.mimeType, wanted()].map(type => languages.getLanguage(type));
    void Promise.all(known).then(() => {
      model.mimeType = wanted();
    });
  };
  model.contentChanged.connect(colour);
  // The notebook sets it when it learns the kernel's language.
  model.mimeTypeChanged.connect(colour);
  colour();
}
