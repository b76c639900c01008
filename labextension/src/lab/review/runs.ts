import { isCodeCellModel } from '@jupyterlab/cells';
import type { Cell } from '@jupyterlab/cells';
import { NotebookActions } from '@jupyterlab/notebook';
import type { INotebookTracker, Notebook, NotebookPanel } from '@jupyterlab/notebook';

import type { Client } from '../../delivery/client';
import { Listeners } from '../../delivery/listeners';
import type { Translate } from '../../views';
import { rememberedRun, rememberRun, Run } from './run';

/** A turn that a cell started in the background may be reported after the cell has ended. */
const LATE_MS = 2_000;

/** Number of runs in memory. */
const MAX_RUNS = 20;

/**
 * Runs: turns that belong together because one command ran their cells.
 *
 * JupyterLab's *Run All*, *Run Selected* and the like schedule all their cells before the first
 * starts. The kernel can't know that (it gets single requests), and times don't show it: cells that
 * a user runs one by one may follow each other as fast. A turn belongs to a run if its cell does
 * and the turn is new.
 */
export class Runs {
  readonly changed = new Listeners<Run>();
  readonly #client: Client;
  readonly #notebooks: INotebookTracker;
  readonly #t: Translate;
  #runs: Run[] = [];
  #batch: { readonly notebook: Notebook; readonly cells: Cell[] } | null = null;

  constructor(client: Client, notebooks: INotebookTracker, t: Translate) {
    this.#client = client;
    this.#notebooks = notebooks;
    this.#t = t;
    NotebookActions.executionScheduled.connect((_, { notebook, cell }) => {
      this.#scheduled(notebook, cell);
    });
    NotebookActions.selectionExecuted.connect((_, { notebook }) => this.#executed(notebook));
    client.turnsChanged.add(() => this.#update());
    notebooks.widgetAdded.connect((_, panel) => this.#opened(panel));
    notebooks.forEach(panel => this.#opened(panel));
  }

  /** The run that a turn belongs to. */
  ofTurn(turnId: string): Run | null {
    return this.#runs.find(run => run.turns.has(turnId)) ?? null;
  }

  /** The last one of a notebook. */
  last(panel: NotebookPanel | null): Run | null {
    return this.#runs.filter(run => run.panel === panel).pop() ?? null;
  }

  #scheduled(notebook: Notebook, cell: Cell): void {
    if (this.#batch?.notebook === notebook) {
      this.#batch.cells.push(cell);
      return;
    }
    this.#batch = { notebook, cells: [cell] };
    const { cells } = this.#batch;
    setTimeout(() => {
      this.#batch = this.#batch?.cells === cells ? null : this.#batch;
      this.#begin(notebook, cells);
    });
  }

  #begin(notebook: Notebook, cells: readonly Cell[]): void {
    const panel = this.#notebooks.find(({ content }) => content === notebook) ?? null;
    if (cells.length < 2 || panel === null) {
      return;
    }
    const all = notebook.widgets.filter(({ model }) => isCodeCellModel(model)).length;
    const time = new Date().toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
    const name =
      cells.length === all
        ? this.#t('Run All, %1', time)
        : this.#t('the run of %1 cells, %2', cells.length, time);
    this.#add(new Run(panel, { name, cells }, this.#client));
  }

  /** Restores a run of the notebook from an earlier page that nobody has reviewed. */
  #opened(panel: NotebookPanel): void {
    void panel.context.ready.then(() => {
      const known = panel.isDisposed ? null : rememberedRun(panel.context.localPath);
      if (known !== null && this.last(panel) === null) {
        const run = new Run(panel, known, this.#client);
        run.isOver = true;
        run.update(false);
        this.#add(run);
      }
    });
  }

  #add(run: Run): void {
    const { panel } = run;
    panel.disposed.connect(() => this.#drop(run));
    this.#runs.slice(0, 1 - MAX_RUNS).forEach(old => this.#drop(old));
    this.#runs.push(run);
    this.changed.emit(run);
  }

  #executed(notebook: Notebook): void {
    for (const run of this.#runs) {
      const ended = run.panel.content === notebook && !run.cells.some(isRunning);
      if (ended && !run.isOver) {
        setTimeout(() => {
          run.update(true);
          run.isOver = true;
          remember(run);
          this.changed.emit(run);
        }, LATE_MS);
      }
    }
  }

  #update(): void {
    for (const run of this.#runs) {
      run.update(!run.isOver);
      this.changed.emit(run);
    }
  }

  #drop(run: Run): void {
    run.dispose();
    this.#runs = this.#runs.filter(each => each !== run);
  }
}

/** Remembers a run; one without turns does not replace an earlier one. */
function remember({ path, name, turns }: Run): void {
  if (turns.size > 0) {
    rememberRun({ path, name, turnIds: [...turns.keys()] });
  }
}

function isRunning({ isDisposed, model }: Cell): boolean {
  return !isDisposed && isCodeCellModel(model) && model.executionState === 'running';
}
