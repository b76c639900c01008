/* Made by `make gen` from the models in acp_jupyter; edit those. */

import type { JsonValue } from '../JsonValue';

export type CellEdit = InsertCell | ReplaceSource | MoveCell | DeleteCell | SetOutputs;
/**
 * The ``metadata.acp`` of a cell that an agent wrote.
 */
export interface AcpMark {
  /**
   * Id of the agent.
   */
  agent: string;
  /**
   * Id of the turn.
   */
  turn: string;
  /**
   * Fingerprint of the source that it wrote: with another one, somebody else changed it since.
   */
  written: string;
}
/**
 * A notebook as it is now, unsaved changes included.
 */
export interface NotebookState {
  cells: Cell[];
  /**
   * Of its kernel, as the notebook says: ``python``.
   */
  language: string;
  /**
   * Whether something of it is not on disk.
   */
  unsaved: boolean;
}
/**
 * One cell as it is now.
 */
export interface Cell {
  /**
   * Which agent wrote it, where one did.
   */
  acp: AcpMark | null;
  cell_type: 'code' | 'markdown' | 'raw';
  execution_count: number | null;
  id: string;
  outputs: NbOutput[];
  source: string;
}
export interface NbOutput {
  [k: string]: JsonValue;
}
/**
 * Why a notebook could not be read or changed; nothing of it was changed.
 */
export interface NotebookRefusal {
  cell_id: string;
  /**
   * In words for whoever asked.
   */
  message: string;
  reason:
    'cell_gone' | 'stale' | 'no_notebook' | 'unreadable' | 'no_answer' | 'invalid' | 'too_large';
  /**
   * What the cell holds now, where it is ``stale``.
   */
  source: string | null;
}
/**
 * Add a cell.
 */
export interface InsertCell {
  acp: AcpMark;
  /**
   * Id of the cell that it comes after, perhaps one that this list inserts; None: first.
   */
  after: string | null;
  /**
   * Of the new cell; not used yet in the notebook.
   */
  cell_id: string;
  cell_type: 'code' | 'markdown' | 'raw';
  op: 'insert';
  source: string;
}
/**
 * Give a cell another source; its outputs and its id stay.
 */
export interface ReplaceSource {
  acp: AcpMark;
  cell_id: string;
  /**
   * Of the source that is replaced.
   */
  fingerprint: string;
  op: 'replace';
  source: string;
}
/**
 * Put a cell elsewhere.
 */
export interface MoveCell {
  /**
   * Id of the cell that it comes after; None: first.
   */
  after: string | null;
  cell_id: string;
  fingerprint: string;
  op: 'move';
}
/**
 * Remove a cell.
 */
export interface DeleteCell {
  cell_id: string;
  fingerprint: string;
  op: 'delete';
}
/**
 * Write the outputs of a cell that was run.
 */
export interface SetOutputs {
  cell_id: string;
  execution_count: number | null;
  /**
   * Of the source that ran.
   */
  fingerprint: string;
  op: 'outputs';
  outputs: NbOutput[];
}
