import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { CodeCell } from '@jupyterlab/cells';
import type { Cell, ICellModel } from '@jupyterlab/cells';
import { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { INotebookTracker, NotebookActions } from '@jupyterlab/notebook';
import type { Notebook, NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { PanelLayout, Widget } from '@lumino/widgets';

import type { Translate } from '../../views';
import { isPromptCell } from './answer_cells';

/** Prompts are prose with names between backticks. */
const PROSE = 'text/x-ipythongfm';

const LOAD = '%load_ext acp_jupyter';

/** IPython's error for a magic that isn't loaded. */
const NOT_FOUND = /UsageError: (?:Cell magic `%%acp`|Line magic function `%acp`) not found/;

/**
 * Colours the prompts of a notebook as prose, not as Python.
 *
 * If a cell fails because its kernel doesn't know the magics, such as a kernel of another server or
 * of a gateway, a note under the error says how to load them.
 */
export const promptCellsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:prompt-cells',
  description: 'Shows the prompts of agents as prose, and how to load the magics where needed.',
  autoStart: true,
  requires: [INotebookTracker, IEditorLanguageRegistry],
  optional: [ITranslator],
  activate: (
    _: JupyterFrontEnd,
    tracker: INotebookTracker,
    languages: IEditorLanguageRegistry,
    translator: ITranslator | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const t: Translate = (text, ...values) => trans.__(text, ...values);
    tracker.widgetAdded.connect((__, panel) => watch(panel, languages));
    NotebookActions.executed.connect((__, { notebook, cell, success }) => {
      const panel = tracker.find(({ content }) => content === notebook);
      if (!success && panel !== undefined && lacksMagic(cell)) {
        const { layout } = cell.outputArea;
        // The output area removes the note with the outputs.
        if (layout instanceof PanelLayout) {
          layout.addWidget(new LoadHint(() => loadMagics(panel, cell, t), t));
        }
      }
    });
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
    // An editor shows the language that was loaded last, even if another was set later.
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

function lacksMagic(cell: Cell): cell is CodeCell {
  if (!(cell instanceof CodeCell) || cell.isDisposed) {
    return false;
  }
  const { outputs } = cell.model;
  const last = outputs.length === 0 ? null : outputs.get(outputs.length - 1).toJSON();
  const text = last?.output_type === 'stream' ? last['text'] : '';
  return NOT_FOUND.test(Array.isArray(text) ? text.join('') : typeof text === 'string' ? text : '');
}

/** Loads the magics into the notebook's kernel and runs the cell again; returns why it can't. */
async function loadMagics(panel: NotebookPanel, cell: Cell, t: Translate): Promise<string> {
  const { content, sessionContext } = panel;
  const kernel = sessionContext.session?.kernel ?? null;
  if (kernel === null) {
    return t('No kernel is running.');
  }
  const { content: reply } = await kernel.requestExecute({ code: LOAD, silent: true }).done;
  if (reply.status === 'error') {
    return reply.ename === 'ModuleNotFoundError'
      ? t(
          "acp-jupyter is not installed in this kernel's environment. Run %1 in a cell, then this cell again.",
          '%pip install acp-jupyter',
        )
      : `${reply.ename}: ${reply.evalue}`;
  }
  const index = content.widgets.indexOf(cell);
  if (index >= 0) {
    content.deselectAll();
    content.activeCellIndex = index;
    void NotebookActions.run(content, sessionContext);
  }
  return '';
}

/** Says under IPython's error which line to run, and offers to run it. */
class LoadHint extends Widget {
  constructor(load: () => Promise<string>, t: Translate) {
    super();
    this.addClass('acp');
    this.addClass('acp-LoadHint');
    this.node.setAttribute('role', 'note');
    const words = document.createElement('span');
    words.textContent = t('Run %1 in this kernel first.', LOAD);
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'btn small';
    button.textContent = t('Load it and run the cell again');
    const failure = document.createElement('span');
    failure.setAttribute('role', 'status');
    button.addEventListener('click', () => {
      button.disabled = true;
      failure.textContent = '';
      void load()
        .catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
        .then(why => {
          button.disabled = false;
          failure.textContent = why;
        });
    });
    this.node.append(words, button, failure);
  }
}
