import { isCodeCellModel } from '@jupyterlab/cells';
import type { ICellModel } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';

import { isRecord, text } from '../../wire/read';
import type { Cell, CellEdit, EditNotebook, NotebookState } from '../../wire/types';
import { LEFT_OUT, contextIn, contextOf, isLeftOut } from '../page/cell_context';
import { deletedCells } from './merge/deleted_cells';
import { isOutput } from './merge/notebook_json';
import type { CellJson } from './merge/notebook_json';
import { arrange, changeText, openCell } from './merge/notebook_model';
import { NotebookEditError } from './notebook_edit_error';

/** Most characters of outputs in an answer: a longer frame closes the connection. */
const MAX_OUTPUTS = 8_000_000;

/**
 * The notebook as the host gets it, which gives agents no cell that is left out.
 *
 * @param pinnedOnly - Whether only pinned cells have their source and outputs.
 */
export function notebookState(model: INotebookModel, pinnedOnly = false): NotebookState {
  const language: unknown = model.getMetadata('language_info');
  const room = { left: MAX_OUTPUTS };
  return {
    cells: [...model.cells].map(cell => cellState(cell, room, pinnedOnly)),
    unsaved: model.dirty,
    language: isRecord(language) ? text(language, 'name') : '',
  };
}

/** Makes all edits, or throws `NotebookEditError` and makes none. */
export function editNotebook(model: INotebookModel, { edits, expected }: EditNotebook): void {
  for (const [id, source] of Object.entries(expected)) {
    const cell = find(model, id);
    if (cell !== undefined && isLeftOut(cell)) {
      throw new NotebookEditError('left_out', `Cell ${id} is ${LEFT_OUT}.`, { cell_id: id });
    }
    const now = cell?.sharedModel.getSource();
    if (cell === undefined) {
      throw new NotebookEditError('cell_gone', `Cell ${id} is no longer there.`, { cell_id: id });
    }
    if (now !== source) {
      const more = { cell_id: id, source: now ?? '' };
      throw new NotebookEditError('stale', `Cell ${id} was changed since you read it.`, more);
    }
  }
  const there = new Set([...model.cells].map(cell => cell.id));
  for (const edit of edits) {
    if ('after' in edit && edit.after !== null && !there.has(edit.after)) {
      const id = edit.after;
      throw new NotebookEditError('cell_gone', `Cell ${id} is no longer there.`, { cell_id: id });
    }
    there.add(edit.cell_id);
  }
  const unsettled = edits.find(
    edit => (edit.op === 'move' || edit.op === 'delete') && isRunning(find(model, edit.cell_id)),
  );
  if (unsettled !== undefined) {
    const id = unsettled.cell_id;
    throw new NotebookEditError('invalid', `Cell ${id} runs. Try again when it is done.`, {
      cell_id: id,
    });
  }
  for (const edit of edits) {
    make(model, edit);
  }
}

function make(model: INotebookModel, edit: CellEdit): void {
  const ids = [...model.cells].map(cell => cell.id);
  const others = ids.filter(id => id !== edit.cell_id);
  const cell = find(model, edit.cell_id);
  switch (edit.op) {
    case 'insert':
      arrange(
        model,
        idsWith(others, edit.cell_id, edit.after),
        new Map([[edit.cell_id, insertedCell(edit)]]),
      );
      break;
    case 'move':
      arrange(model, idsWith(others, edit.cell_id, edit.after), new Map());
      break;
    case 'delete':
      if (cell !== undefined) {
        deletedCells(model).add(openCell(cell), ids, edit.acp);
        arrange(model, others, new Map());
      }
      break;
    case 'replace':
      if (cell !== undefined) {
        changeText(cell.sharedModel, edit.source);
        const context = contextOf(cell);
        cell.setMetadata('acp', { ...edit.acp, ...(context === null ? {} : { context }) });
      }
      break;
    case 'outputs':
      if (isCode(cell)) {
        // These outputs come from this user's kernel, like those of a cell that was run here.
        cell.trusted = true;
        cell.outputs.fromJSON(edit.outputs.filter(isOutput));
        cell.executionCount = edit.execution_count;
      }
      break;
  }
}

function insertedCell({
  cell_id: id,
  cell_type,
  source,
  acp,
}: CellEdit & { op: 'insert' }): CellJson {
  const metadata = { acp: { ...acp } };
  return { id, cell_type, source, metadata, outputs: [], execution_count: null, attachments: null };
}

function idsWith(ids: readonly string[], id: string, after: string | null): string[] {
  const at = after === null ? 0 : ids.indexOf(after) + 1;
  return [...ids.slice(0, at), id, ...ids.slice(at)];
}

function cellState(model: ICellModel, room: { left: number }, pinnedOnly: boolean): Cell {
  const mark: unknown = model.getMetadata('acp');
  const context = contextIn({ acp: mark });
  if (pinnedOnly && context !== 'pinned') {
    const { id, type } = model;
    const execution_count = isCode(model) ? model.executionCount : null;
    const cell_type = type === 'code' || type === 'markdown' ? type : 'raw';
    return { id, cell_type, source: '', outputs: [], execution_count, acp: null, context };
  }
  const { id, cell_type, source, execution_count } = openCell(model);
  const outputs = isCode(model) ? model.outputs.toJSON() : [];
  return {
    id,
    cell_type,
    source,
    outputs: outputs.filter(isPlain).map(output => {
      const { length } = JSON.stringify(output);
      room.left -= length;
      return room.left >= 0 ? output : tooMuch(length);
    }),
    execution_count,
    acp:
      isRecord(mark) && text(mark, 'agent') !== ''
        ? { turn: text(mark, 'turn'), agent: text(mark, 'agent'), written: text(mark, 'written') }
        : null,
    context,
  };
}

function tooMuch(length: number): Cell['outputs'][number] {
  const text = `[An output of ${length} characters is left out: the notebook has too many.]\n`;
  return { output_type: 'stream', name: 'stderr', text };
}

/** The model gives copies, as JSON. */
function isPlain(output: unknown): output is Cell['outputs'][number] {
  return isOutput(output);
}

function find(model: INotebookModel, id: string): ICellModel | undefined {
  return [...model.cells].find(cell => cell.id === id);
}

function isCode(cell: ICellModel | undefined) {
  return cell !== undefined && isCodeCellModel(cell);
}

function isRunning(cell: ICellModel | undefined): boolean {
  return isCode(cell) && cell.executionState === 'running';
}
