import { CodeCell } from '@jupyterlab/cells';
import type { Cell } from '@jupyterlab/cells';
import type { INotebookCellExecutor, INotebookModel } from '@jupyterlab/notebook';

import { isRecord, text } from '../../wire/read';
import { knowsMagic } from './kernel_words';
import { RunOrder } from './run_order';
import { showIdle, showRunning } from './running';

type Options = INotebookCellExecutor.IRunCellOptions;

type RunCell = (options: Options) => Promise<boolean>;

/** Runs prompts in a notebook; the code is loaded with the first prompt. */
export type RunPrompt = (cell: CodeCell, options: Options) => Promise<boolean>;

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
    if (!(cell instanceof CodeCell) || isPython(options)) {
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
    const kernel = options.sessionContext?.session?.kernel ?? null;
    return kernel !== null && (await knowsMagic(kernel))
      ? this.#other(options)
      : this.#prompt(cell, options);
  }

  async #runOther(cell: Cell, options: Options): Promise<boolean> {
    return cell.isDisposed ? false : this.#other(options);
  }
}

/** Whether the kernel is a Python kernel, which has magics; also where nothing is known of it. */
function isPython({ notebook, sessionContext }: Options): boolean {
  const name = sessionContext?.session?.kernel?.name ?? '';
  const spec = sessionContext?.specsManager.specs?.kernelspecs[name];
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
