import type { Cell } from '@jupyterlab/cells';
import { isCodeCellModel } from '@jupyterlab/cells';
import { NotebookActions } from '@jupyterlab/notebook';
import type { INotebookTracker, Notebook, NotebookPanel } from '@jupyterlab/notebook';

import type { Client } from '../../delivery/client';
import { Listeners } from '../../delivery/listeners';
import type { TurnState } from '../../wire/types';
import type { Translate } from '../../views';
import { NotebookSessions } from '../notebookSessions';

/** A turn that a cell sent in the background may be heard of after the cell has ended. */
const LATE_MS = 2_000;
/** Runs that are remembered. */
const MAX_RUNS = 20;

/** The turns of cells that were run together. */
export class Run {
  readonly turns = new Map<string, TurnState>();
  readonly name: string;
  readonly panel: NotebookPanel;
  readonly cells: readonly Cell[];
  /** The bar about it was closed, or used. */
  isSeen = false;
  /** All of its cells have ended. */
  isOver = false;
  readonly #former: ReadonlySet<string>;
  readonly #sessions: NotebookSessions;

  constructor(panel: NotebookPanel, cells: readonly Cell[], name: string, client: Client) {
    this.panel = panel;
    this.cells = cells;
    this.name = name;
    this.#sessions = new NotebookSessions(client, panel.context.localPath);
    this.#former = new Set(this.#sessions.turns().map(turn => turn.turn_id));
  }

  /** In the order of their first turns. */
  get sessionIds(): string[] {
    return [...new Set([...this.turns.values()].map(turn => turn.session_id))];
  }

  /** Whether nothing more is to come, and files were changed. */
  get isReviewable(): boolean {
    const turns = [...this.turns.values()];
    return this.isOver && turns.every(({ status }) => status === 'done') && this.files > 0;
  }

  /** How many files its turns changed. */
  get files(): number {
    const turns = [...this.turns.values()];
    const more = turns.reduce((sum, { changes }) => sum + (changes?.left_out ?? 0), 0);
    const paths = turns.flatMap(({ session_id, changes }) =>
      (changes?.files ?? []).map(({ path }) => `${this.#sessions.folder(session_id)}/${path}`),
    );
    return new Set(paths).size + more;
  }

  /** Takes in what is known of its turns; new ones only while `open`. */
  look(open: boolean): void {
    const ids = new Set(this.cells.map(cell => cell.model.id));
    const path = this.panel.context.localPath;
    for (const turn of this.#sessions.turns()) {
      const { turn_id: id, origin } = turn;
      const isOwn = origin?.notebook_path === path && ids.has(origin.cell_id);
      if (this.turns.has(id) || (open && isOwn && !this.#former.has(id))) {
        this.turns.set(id, turn);
      }
    }
  }

  dispose(): void {
    this.#sessions.dispose();
  }
}

/**
 * Which turns belong together because one command ran their cells.
 *
 * A run is what JupyterLab schedules in one go: *Run All*, *Run Selected* and their kin each
 * announce all their cells before the first of them begins. The kernel can't know that (it gets
 * single requests), and times can't either: cells that a user runs one by one may follow
 * each other as fast. A turn is of the run if its cell is, and if it was not there before.
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
    client.turnsChanged.add(() => this.#look());
  }

  /** The run that a turn is of. */
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
    const run = new Run(panel, cells, name, this.#client);
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
          run.look(true);
          run.isOver = true;
          this.changed.emit(run);
        }, LATE_MS);
      }
    }
  }

  #look(): void {
    for (const run of this.#runs) {
      run.look(!run.isOver);
      this.changed.emit(run);
    }
  }

  #drop(run: Run): void {
    run.dispose();
    this.#runs = this.#runs.filter(each => each !== run);
  }
}

function isRunning({ isDisposed, model }: Cell): boolean {
  return !isDisposed && isCodeCellModel(model) && model.executionState === 'running';
}
