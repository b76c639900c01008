import { isCodeCellModel } from '@jupyterlab/cells';
import type { Cell } from '@jupyterlab/cells';
import { NotebookActions } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';

import type { Client } from '../../../delivery/client';
import type { Translate } from '../../../views';
import type { CellRun, StaleCell } from '../../../wire/types';
import { hasMagic } from '../../../lab/page/answer_cells';
import type { CellStep } from '../../../lab/review/cells/changed_cells';
import type { CellWatcher } from '../../../lab/review/cells/cell_watcher';
import { RunLog } from './run_log';
import { StaleBar } from './stale_note';
import { newestRuns, staleWords, touchOf } from './stale_texts';
import type { NamedCells } from './stale_texts';

/** Notebooks with more code cells are not checked. */
const MAX_CELLS = 5_000;

/** Most characters of cells, and of the runs that are sent with them. */
const MAX_CHARS = 5_000_000;

interface Parts {
  readonly client: Pick<Client, 'run'>;
  /** Opens the check of the notebook. */
  readonly check: () => void;
  readonly t: Translate;
}

/** Marks the cells whose inputs an agent or a revert has changed since they ran. */
export class StaleCells implements CellWatcher {
  readonly #panel: NotebookPanel;
  readonly #parts: Parts;
  readonly #log: RunLog;
  readonly #bars = new Map<Cell, StaleBar>();
  /** Cells that *Run stale cells* runs, in the notebook's order. */
  #toRun: readonly Cell[] = [];
  /** Cells that are marked once they are drawn. */
  readonly #undrawn = new WeakSet<Cell>();
  #steps: readonly CellStep[] = [];
  #asked = '';
  #disposed = false;

  constructor(panel: NotebookPanel, parts: Parts) {
    this.#panel = panel;
    this.#parts = parts;
    this.#log = new RunLog(panel);
  }

  get any(): boolean {
    return this.#bars.size > 0;
  }

  dispose(): void {
    this.#disposed = true;
    this.#log.dispose();
    this.#bars.forEach(bar => bar.dispose());
    this.#bars.clear();
  }

  /** Checks again: the notebook, its runs or the agents' changes are different. */
  update(steps: readonly CellStep[]): void {
    this.#steps = steps;
    const cells = this.#panel.content.widgets.flatMap(({ model }) =>
      isCodeCellModel(model) ? [{ cell_id: model.id, source: model.sharedModel.getSource() }] : [],
    );
    const size = cells.reduce((sum, { source }) => sum + source.length, 0);
    const runs = newestRuns(this.#log.runs(steps), MAX_CHARS - size);
    if (cells.length > MAX_CELLS || size > MAX_CHARS) {
      this.#show(steps, runs, []);
      return;
    }
    const python = (this.#panel.content.model?.defaultKernelLanguage || 'python') === 'python';
    const asked = JSON.stringify([cells, runs, python, steps.length]);
    if (asked === this.#asked) {
      return;
    }
    this.#asked = asked;
    this.#parts.client
      .run({ name: 'find_stale', cells, runs, python })
      .then(({ cells: found }) => {
        if (!this.#disposed && this.#asked === asked) {
          this.#show(steps, runs, found);
        }
      })
      .catch((error: unknown) => {
        if (this.#asked === asked) {
          this.#asked = ''; // the next change checks again
        }
        console.warn(error);
      });
  }

  #again(): void {
    if (!this.#disposed) {
      this.#asked = '';
      this.update(this.#steps);
    }
  }

  /** Runs the stale cells, and the new cells that they depend on. */
  async run(): Promise<void> {
    const { content, sessionContext } = this.#panel;
    const cells = this.#toRun.filter(cell => !cell.isDisposed);
    await NotebookActions.runCells(content, cells, sessionContext).catch(() => false);
  }

  #show(steps: readonly CellStep[], runs: readonly CellRun[], found: readonly StaleCell[]): void {
    const { t, check } = this.#parts;
    const widgets = this.#panel.content.widgets;
    const cells: NamedCells = {
      number: id => widgets.findIndex(({ model }) => model.id === id) + 1 || null,
      source: id =>
        widgets.find(({ model }) => model.id === id)?.model.sharedModel.getSource() ?? null,
    };
    const reasons = new Map<Cell, string[]>();
    const unrun = new Set<string>();
    for (const { cell_id: id, causes } of found) {
      const cell = widgets.find(({ model }) => model.id === id);
      const words = causes.flatMap(cause => {
        const touch = touchOf(cause, runs, steps, cells);
        if (touch !== null && cause.run === null) {
          unrun.add(cause.cell_id);
        }
        return touch === null ? [] : [staleWords(cause, touch, cells, t)];
      });
      if (cell !== undefined && words.length > 0 && countOf(cell) !== null) {
        reasons.set(cell, words);
      }
    }
    this.#toRun = widgets.filter(
      cell =>
        (reasons.has(cell) || (unrun.has(cell.model.id) && countOf(cell) === null)) &&
        !hasMagic(cell.model.sharedModel.getSource()),
    );
    for (const [cell, bar] of this.#bars) {
      if (cell.isDisposed || !reasons.has(cell)) {
        this.#bars.delete(cell);
        bar.dispose();
      }
    }
    let isFirst = true;
    for (const [cell, words] of reasons) {
      const props = {
        ...{ reasons: words, all: isFirst ? reasons.size : 0, check, t },
        run: () => void this.run(),
      };
      isFirst = false;
      this.#mark(cell, props);
    }
  }

  #mark(cell: Cell, props: Parameters<StaleBar['refresh']>[0]): void {
    const bar = this.#bars.get(cell);
    if (bar !== undefined) {
      bar.refresh(props);
    } else if (cell.isPlaceholder()) {
      // A cell that was never on the screen has no elements yet.
      if (!this.#undrawn.has(cell)) {
        this.#undrawn.add(cell);
        void cell.ready.then(() => {
          this.#undrawn.delete(cell);
          this.#again();
        });
      }
    } else {
      const made = StaleBar.under(cell, props);
      if (made !== null) {
        this.#bars.set(cell, made);
      }
    }
  }
}

function countOf({ model }: Cell): number | null {
  return isCodeCellModel(model) ? model.executionCount : null;
}
