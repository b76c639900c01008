import { isCodeCellModel } from '@jupyterlab/cells';
import type { ICodeCellModel } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';

import type { SavedOutput } from '../wire/results';
import type { Action, CellState } from './recordPlan';

/** The code cells of a notebook with these ids. */
export function codeCells(
  model: INotebookModel,
  ids: ReadonlySet<string>,
): Map<string, ICodeCellModel> {
  const found = new Map<string, ICodeCellModel>();
  for (const cell of model.cells) {
    if (ids.has(cell.id) && isCodeCellModel(cell)) {
      found.set(cell.id, cell);
    }
  }
  return found;
}

/** Whether any cell runs or waits to run here. */
export function anyRunning(model: INotebookModel): boolean {
  for (const cell of model.cells) {
    if (isCodeCellModel(cell) && cell.executionState === 'running') {
      return true;
    }
  }
  return false;
}

export function cellState(cell: ICodeCellModel): CellState {
  return {
    source: cell.sharedModel.getSource(),
    running: cell.executionState === 'running',
    outputs: cell.outputs.toJSON().map(({ data, metadata }) => ({ data, metadata })),
  };
}

/** Carries out what changes the document; says whether it was changed. */
export function applyAction(cell: ICodeCellModel, action: Action): boolean {
  switch (action.kind) {
    case 'replace':
      cell.outputs.set(action.index, outputOf(action.record));
      return true;
    case 'insert':
      for (const index of [...action.drop].reverse()) {
        cell.outputs.remove(index);
      }
      cell.outputs.add(outputOf(action.record));
      return true;
    case 'remove':
      cell.outputs.remove(action.index);
      return true;
    case 'offer':
    case 'tell_gone':
    case 'wait':
      return false;
  }
}

function outputOf({ bundle }: SavedOutput) {
  return { output_type: 'display_data', data: bundle.data, metadata: bundle.metadata };
}
