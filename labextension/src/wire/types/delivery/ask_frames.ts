/* Made by `make gen` from the models in acp_jupyter; edit those. */

import type { CellEdit, NotebookRefusal, NotebookState } from './notebook_cells';

export type DocumentQuestion =
  ReadDocument | WriteDocument | SaveDocument | ReadNotebook | EditNotebook | Withdraw;
/**
 * The answer to an ask: a result, or why not.
 */
export interface AnswerFrame {
  /**
   * Why it was not done, in words.
   */
  error: string | null;
  id: number;
  /**
   * Of ``read_notebook`` and ``edit_notebook``.
   */
  notebook: NotebookState | null;
  /**
   * The same in a word: ``no_document`` where another page may hold it.
   */
  reason: string;
  /**
   * Why cells were not changed.
   */
  refusal: NotebookRefusal | null;
  /**
   * Of ``read_document``.
   */
  text: string | null;
  type: 'answer';
}
/**
 * A question to the page about an open document; answered by an answer.
 */
export interface AskFrame {
  /**
   * After so long another page is asked; nothing may be changed then.
   */
  deadline_seconds: number;
  id: number;
  path: string;
  question: DocumentQuestion;
  type: 'ask';
}
/**
 * Asks for the text that the editor shows.
 */
export interface ReadDocument {
  op: 'read_document';
}
/**
 * Make this the document's text, changing only what differs, and save it.
 */
export interface WriteDocument {
  /**
   * The text that was changed into this one; None for the one on disk. What the user has
   * changed since stays, or it is refused as ``conflict``.
   */
  base: string | null;
  op: 'write_document';
  text: string;
}
/**
 * Save the document, unless its user does not want that: ``unwanted``.
 */
export interface SaveDocument {
  op: 'save_document';
}
/**
 * Asks for the cells of the notebook.
 */
export interface ReadNotebook {
  op: 'read_notebook';
}
/**
 * Make all these changes, or none, and save.
 */
export interface EditNotebook {
  edits: CellEdit[];
  /**
   * The sources that cells must have for it, by the cells' ids.
   */
  expected: {
    [k: string]: string;
  };
  op: 'edit_notebook';
}
/**
 * The ask of this id is over: nothing may be changed for it any more. Not answered.
 */
export interface Withdraw {
  op: 'withdraw';
}
/**
 * All documents that the page holds; sent whole on each change.
 */
export interface DocumentsFrame {
  documents: DocumentState[];
  type: 'documents';
}
/**
 * An open document of the page.
 */
export interface DocumentState {
  dirty: boolean;
  /**
   * When it last had the focus, seconds since the epoch; 0 for never.
   */
  focused_at: number;
  path: string;
}
