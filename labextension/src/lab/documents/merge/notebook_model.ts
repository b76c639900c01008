import { isCodeCellModel } from '@jupyterlab/cells';
import type { ICellModel } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';
import { diffArrays } from 'diff';

import { isRecord } from '../../../wire/read';
import { planMerge, restored } from './merge_cells';
import type { CellChange, CellConflict, OpenCell, Plan } from './merge_cells';
import { cellContent, isOutput, isShared, known } from './notebook_json';
import type { CellJson, KnownCell } from './notebook_json';
import { editsBetween } from './text_edits';

/** A text that editors share: a file, or the source of a cell. */
interface SharedSource {
  getSource(): string;
  updateSource(start: number, end: number, value?: string): void;
}

/** Changes a shared text into another by minimal edits, in one undo step. */
export function changeText(shared: SharedSource, text: string): void {
  const edits = editsBetween(shared.getSource(), text);
  endUndoStep(shared);
  for (const { start, end, value } of edits) {
    shared.updateSource(start, end, value);
  }
  endUndoStep(shared);
}

/** Ends the current undo step, so that earlier typing is not undone with the next change. */
function endUndoStep(shared: object): void {
  const undoing: unknown = 'undoManager' in shared ? shared.undoManager : null;
  if (canEndStep(undoing)) {
    undoing.stopCapturing();
  }
}

function canEndStep(undoing: unknown): undoing is { stopCapturing(): void } {
  return isRecord(undoing) && typeof undoing['stopCapturing'] === 'function';
}

export function openCell(cell: ICellModel): OpenCell {
  const { sharedModel: shared } = cell;
  const code = isCodeCellModel(cell) ? cell : null;
  const type = shared.cell_type;
  return {
    id: cell.id,
    cell_type: type === 'code' || type === 'raw' ? type : 'markdown',
    source: shared.getSource(),
    metadata: shared.getMetadata(),
    outputs: code?.outputs.toJSON().filter(isOutput) ?? [],
    execution_count: code?.executionCount ?? null,
    attachments: attachmentsOf(shared),
    running: code?.executionState === 'running',
  };
}

function attachmentsOf(shared: ICellModel['sharedModel']): CellJson['attachments'] {
  const attachments = 'getAttachments' in shared ? shared.getAttachments() : undefined;
  return attachments === undefined ? null : { ...attachments };
}

/** The present cells of an open notebook. */
export function openCells(notebook: INotebookModel): OpenCell[] {
  return [...notebook.cells].map(openCell);
}

export function applyPlan(notebook: INotebookModel, plan: Plan): void {
  const cells = new Map([...notebook.cells].map(cell => [cell.id, cell]));
  for (const change of plan.changes) {
    const cell = cells.get(change.id);
    if (cell !== undefined) {
      changeCell(cell, change);
    }
  }
  arrange(notebook, plan.order, plan.inserted);
}

export function changeCell(
  cell: ICellModel,
  { source, metadata, outputs, attachments }: CellChange,
): void {
  if (source !== undefined) {
    changeText(cell.sharedModel, source);
  }
  if (metadata !== undefined) {
    for (const key of Object.keys(cell.sharedModel.getMetadata())) {
      if (isShared(key) && !(key in metadata)) {
        cell.deleteMetadata(key);
      }
    }
    for (const [key, value] of Object.entries(metadata)) {
      if (isShared(key)) {
        cell.setMetadata(key, value);
      }
    }
  }
  if (attachments !== undefined) {
    changeAttachments(cell.sharedModel, attachments);
  }
  if (outputs !== undefined && isCodeCellModel(cell)) {
    cell.trusted = outputs.metadata['trusted'] === true;
    cell.outputs.fromJSON([...outputs.outputs]);
    cell.executionCount = outputs.execution_count;
  }
}

function changeAttachments(
  shared: ICellModel['sharedModel'],
  attachments: NonNullable<CellChange['attachments']>,
): void {
  const cell: object = shared;
  if (hasAttachments(cell)) {
    cell.setAttachments(Object.keys(attachments).length > 0 ? attachments : undefined);
  }
}

function hasAttachments(
  shared: object,
): shared is { setAttachments(attachments: CellChange['attachments']): void } {
  return 'setAttachments' in shared;
}

/** Puts the cells into this order: deletes those that are not listed, inserts new ones. */
export function arrange(
  { sharedModel: shared }: INotebookModel,
  order: readonly string[],
  inserted: ReadonlyMap<string, CellJson>,
): void {
  const now = shared.cells.map(cell => cell.getId());
  const staying = new Set(
    diffArrays(now, [...order])
      .filter(change => !change.added && !change.removed)
      .flatMap(change => change.value)
      .filter(id => !inserted.has(id)),
  );
  if (staying.size === now.length && staying.size === order.length) {
    return;
  }
  const moved = new Map(
    shared.cells
      .filter(cell => !staying.has(cell.getId()))
      .map(cell => [cell.getId(), cell.toJSON()]),
  );
  endUndoStep(shared);
  shared.transact(() => {
    for (let index = now.length - 1; index >= 0; index -= 1) {
      if (!staying.has(now[index] ?? '')) {
        shared.deleteCell(index);
      }
    }
    order.forEach((id, index) => {
      const content = inserted.get(id);
      const cell = content === undefined ? moved.get(id) : cellContent(content);
      if (!staying.has(id) && cell !== undefined) {
        shared.insertCell(index, cell);
      }
    });
  });
  endUndoStep(shared);
}

const captured = new WeakMap<ICellModel, OpenCell>();

const watched = new WeakSet<ICellModel>();

/** The cells of an open notebook; only those changed since the last call are copied again. */
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

/** Restores what a file that was loaded over an open notebook did not have. */
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
