import { isCodeCellModel } from '@jupyterlab/cells';
import type { ICellModel } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';

import type { Translate } from '../../../views';
import { contextOf, setContext } from '../../page/cell_context';
import { nearest } from '../../documents/merge/deleted_cells';
import { arrange, changeText } from '../../documents/merge/notebook_model';
import { standingOf } from './changed_cells';
import type { ChangedCell } from './changed_cells';

/**
 * Reverts a cell of an open notebook, in one undo step; outputs and other cells stay.
 *
 * @throws Error - with a message for the user, if the cell was changed since.
 */
export function revertCell(model: INotebookModel, changed: ChangedCell, t: Translate): void {
  const { cellId: id, before, after } = changed;
  const ids = [...model.cells].map(cell => cell.id);
  const cell = findCell(model, id);
  if (model.readOnly || cell?.getMetadata('editable') === false) {
    throw new Error(t('It is read-only.'));
  }
  if (standingOf(changed, cell?.sharedModel.getSource() ?? null) !== 'open') {
    throw new Error(
      t('This cell was changed since. Undo that first, or revert it by hand from the diff.'),
    );
  }
  if (before === null) {
    if (cell?.getMetadata('deletable') === false) {
      throw new Error(t('This cell may not be deleted.'));
    }
    if (cell !== undefined && isCodeCellModel(cell) && cell.executionState === 'running') {
      throw new Error(t('This cell is running. Try again when it has finished.'));
    }
    arrange(
      model,
      ids.filter(each => each !== id),
      new Map(),
    );
  } else if (after === null) {
    const at = ids.indexOf(anchorOf(changed, new Set(ids)) ?? '') + 1;
    arrange(model, [...ids.slice(0, at), id, ...ids.slice(at)], new Map([[id, before]]));
  } else if (cell !== undefined) {
    changeText(cell.sharedModel, before.source);
    const context = contextOf(cell); // that was the user's own decision, then or since
    const mark = before.metadata['acp'];
    if (mark === undefined) {
      cell.deleteMetadata('acp');
    } else {
      cell.setMetadata('acp', mark);
    }
    setContext(cell, context);
  }
}

/** Id of the nearest cell above that still exists; `null` for none. */
export function anchorOf({ above }: ChangedCell, ids: ReadonlySet<string>): string | null {
  return nearest(above, ids);
}

export function findCell(model: INotebookModel, id: string): ICellModel | undefined {
  return [...model.cells].find(cell => cell.id === id);
}
