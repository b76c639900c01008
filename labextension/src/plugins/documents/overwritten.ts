import type { ICellModel } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';

import { applyPlan, openCell, openCells } from './apply';
import { known } from './cells';
import type { KnownCell } from './cells';
import { planMerge } from './merge';
import type { CellConflict, OpenCell } from './merge';
import { restored } from './planned';

const captured = new WeakMap<ICellModel, OpenCell>();
const watched = new WeakSet<ICellModel>();

/** The cells of an open notebook; only what was changed since the last time is copied again. */
export function captureCells(notebook: INotebookModel): OpenCell[] {
  return [...notebook.cells].map(cell => {
    if (!watched.has(cell)) {
      watched.add(cell);
      const forget = () => captured.delete(cell);
      cell.contentChanged.connect(forget);
      cell.metadataChanged.connect(forget);
      cell.stateChanged.connect(forget);
    }
    const now = captured.get(cell) ?? openCell(cell);
    captured.set(cell, now);
    return now;
  });
}

/** Brings back what the file, loaded over an open notebook, had not: see `planMerge`. */
export function restoreCells(
  notebook: INotebookModel,
  base: readonly KnownCell[],
  before: readonly OpenCell[],
): readonly CellConflict[] {
  const theirs = openCells(notebook);
  const [cells, conflicts] = restored(base, before, theirs);
  applyPlan(notebook, planMerge(theirs.map(known), theirs, cells));
  return conflicts;
}
