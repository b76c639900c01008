import { CodeCell } from '@jupyterlab/cells';
import type { Cell } from '@jupyterlab/cells';
import type { INotebookCellExecutor, INotebookModel } from '@jupyterlab/notebook';

import { isRecord, text } from '../../wire/read';
import { implementationOf } from './implementations';
import { RunOrder } from './run_order';
import { showIdle, showRunning } from './running';

type Options = INotebookCellExecutor.IRunCellOptions;

export type RunCell = (options: Options) => Promise<boolean>;

/** Runs a prompt, or leaves it to `other` if the kernel knows it. */
export type RunPrompt = (cell: CodeCell, options: Options, other: RunCell) => Promise<boolean>;

/** A cell that begins with the magic; the options are on the rest of the line. */
const PROMPT = /^\s*%%acp(?:\s|$)/;

/**
 * Runs the cells of notebooks: prompts whose kernel doesn't know `%%acp` without the kernel, and
 * all other cells as JupyterLab does.
 */
export class CellExecutor implements INotebookCellExecutor {
  readonly #other: RunCell;
  readonly #prompt: RunPrompt;
  readonly #orders = new WeakMap<INotebookModel, RunOrder>();

  constructor(other: RunCell, prompt: RunPrompt) {
    this.#other = other;
    this.#prompt = prompt;
  }

  readonly runCell = (options: Options): Promise<boolean> => {
    const { cell, notebook } = options;
    if (!(cell instanceof CodeCell) || isIPython(options)) {
      return this.#other(options);
    }
    const order = this.#orders.get(notebook) ?? new RunOrder();
    this.#orders.set(notebook, order);
    const waits = () => showRunning(cell);
    const ran = PROMPT.test(cell.model.sharedModel.getSource())
      ? order.prompt(() => this.#runPrompt(cell, options), waits)
      : order.cell(() => this.#runOther(cell, options), waits);
    return ran.finally(() => showIdle(cell));
  };

  async #runPrompt(cell: CodeCell, options: Options): Promise<boolean> {
    if (cell.isDisposed) {
      return false;
    }
    showRunning(cell);
    return this.#prompt(cell, options, this.#other);
  }

  async #runOther(cell: Cell, options: Options): Promise<boolean> {
    return cell.isDisposed ? false : this.#other(options);
  }
}

/** Whether it is IPython's kernel, which has our magic; also where nothing is known of it. */
function isIPython({ notebook, sessionContext }: Options): boolean {
  const kernel = sessionContext?.session?.kernel ?? null;
  const implementation = kernel === null ? '' : implementationOf(kernel);
  if (implementation !== '') {
    return implementation === 'ipython';
  }
  const spec = sessionContext?.specsManager.specs?.kernelspecs[kernel?.name ?? ''];
  const language = spec?.language ?? languageIn(notebook);
  return language === '' || language.toLowerCase() === 'python';
}

/** The language that the notebook's metadata names; without a kernel, nothing else does. */
function languageIn(notebook: INotebookModel): string {
  const info: unknown = notebook.getMetadata('language_info');
  const spec: unknown = notebook.getMetadata('kernelspec');
  return (
    (isRecord(info) ? text(info, 'name') : null) ??
    (isRecord(spec) ? text(spec, 'language') : null) ??
    ''
  );
}
