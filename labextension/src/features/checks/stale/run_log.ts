import { isCodeCellModel } from '@jupyterlab/cells';
import type { Cell } from '@jupyterlab/cells';
import { NotebookActions } from '@jupyterlab/notebook';
import type { Notebook, NotebookPanel } from '@jupyterlab/notebook';

import type { CellRun } from '../../../wire/types';
import type { CellStep } from '../../../lab/review/cells/changed_cells';

/** Most runs that are remembered. */
const MAX_RUNS = 1_000;

interface Remembered extends CellRun {
  /** Execution count of a run before this log began; its source is that of the cell at the time. */
  readonly assumed: number | null;
}

/** The runs of a notebook's cells, with their order and sources. */
export class RunLog {
  readonly #panel: NotebookPanel;
  readonly #counts = new Map<string, number | null>();
  /** Sources of cells that wait for the kernel or run. */
  readonly #sent = new Map<string, string>();
  #runs: Remembered[] = [];
  #kernel = 0;

  constructor(panel: NotebookPanel) {
    this.#panel = panel;
    NotebookActions.executionScheduled.connect(this.#scheduled, this);
    NotebookActions.executed.connect(this.#executed, this);
    panel.sessionContext.statusChanged.connect(this.#status, this);
    panel.sessionContext.kernelChanged.connect(this.#restarted, this);
    this.#look(true);
  }

  dispose(): void {
    NotebookActions.executionScheduled.disconnect(this.#scheduled, this);
    NotebookActions.executed.disconnect(this.#executed, this);
    this.#panel.sessionContext.statusChanged.disconnect(this.#status, this);
    this.#panel.sessionContext.kernelChanged.disconnect(this.#restarted, this);
  }

  /** The runs, oldest first; `steps` say which cells were changed before the log began. */
  runs(steps: readonly CellStep[]): CellRun[] {
    this.#look(false);
    return this.#runs.map(run => ({
      cell_id: run.cell_id,
      source: sourceThen(run, steps),
      kernel: run.kernel,
    }));
  }

  /** Adds runs without a signal of JupyterLab, such as those of an agent's tools. */
  #look(assumed: boolean): void {
    const found: Remembered[] = [];
    for (const cell of this.#panel.content.widgets) {
      const { id, sharedModel } = cell.model;
      const count = isCodeCellModel(cell.model) ? cell.model.executionCount : null;
      if (count !== (this.#counts.get(id) ?? null) && count !== null) {
        const source = sharedModel.getSource();
        found.push({
          ...{ cell_id: id, source, kernel: this.#kernel },
          assumed: assumed ? count : null,
        });
      }
      this.#counts.set(id, count);
    }
    const countOf = (run: Remembered) => this.#counts.get(run.cell_id) ?? 0;
    this.#add(found.sort((a, b) => countOf(a) - countOf(b)));
  }

  #add(runs: readonly Remembered[]): void {
    this.#runs = [...this.#runs, ...runs].slice(-MAX_RUNS);
  }

  #scheduled(_: unknown, { notebook, cell }: { notebook: Notebook; cell: Cell }): void {
    if (notebook === this.#panel.content) {
      this.#sent.set(cell.model.id, cell.model.sharedModel.getSource());
    }
  }

  #executed(_: unknown, { notebook, cell }: { notebook: Notebook; cell: Cell }): void {
    if (notebook !== this.#panel.content || !isCodeCellModel(cell.model)) {
      return;
    }
    const { id, executionCount } = cell.model;
    const source = this.#sent.get(id) ?? cell.model.sharedModel.getSource();
    this.#sent.delete(id);
    if (executionCount !== null) {
      this.#counts.set(id, executionCount);
      this.#add([{ cell_id: id, source, kernel: this.#kernel, assumed: null }]);
    }
  }

  #status(_: unknown, status: string): void {
    if (status === 'restarting' || status === 'autorestarting') {
      this.#restarted();
    }
  }

  #restarted(): void {
    this.#kernel += 1;
  }
}

/** A turn that changed a cell but not its execution count did not run it. */
function sourceThen(run: Remembered, steps: readonly CellStep[]): string {
  let { source } = run;
  for (const { cellId, before, after } of run.assumed === null ? [] : [...steps].reverse()) {
    const isUnrun = [before, after].every(cell => cell?.execution_count === run.assumed);
    if (cellId === run.cell_id && isUnrun && before !== null && after?.source === source) {
      source = before.source;
    }
  }
  return source;
}
