/* Made by `make gen` from the models in acp_jupyter; edit those. */

import type { FileHunks, Hunk } from '../packets/change_notes';

/**
 * Result of ``get_changes``.
 */
export interface ChangesReply {
  files: FileTexts[];
  /**
   * Whether the folder was kept; if not, only what was seen to change is in ``files``.
   */
  known: boolean;
  patch: string | null;
  revertible: boolean;
  turn_id: string;
  words: string;
}
/**
 * A changed file with its text.
 */
export interface FileTexts {
  /**
   * Lines; null where they were not counted.
   */
  added: number | null;
  binary: boolean;
  /**
   * Where what took its place lay before the turn, if that was not kept: it goes back there.
   */
  came_from: string;
  /**
   * ``type``: a file became a link, or a link a file.
   */
  change: 'added' | 'modified' | 'deleted' | 'renamed' | 'type';
  /**
   * Ids of a notebook's cells that others changed after a tool had written them in this turn.
   */
  edited_cells: string[];
  /**
   * Whether it can be taken back.
   */
  kept: boolean;
  /**
   * And after it.
   */
  new_mode: number | null;
  new_text: string | null;
  new_text_id: string;
  /**
   * Its permission bits before the turn.
   */
  old_mode: number | null;
  /**
   * Where it was, if it was renamed.
   */
  old_path: string;
  /**
   * Null for a new file, and for one that is no text or too large.
   */
  old_text: string | null;
  /**
   * The same for the same content; empty where that is not known.
   */
  old_text_id: string;
  /**
   * Relative to the session's folder, with forward slashes; absolute outside it.
   */
  path: string;
  removed: number | null;
  reverted: boolean;
  /**
   * What was taken back of it, in their order; a file that is taken back keeps them for Undo.
   */
  reverted_hunks: Hunk[];
  /**
   * In bytes: after the turn, or before it if the file is gone.
   */
  size: number | null;
  /**
   * Earlier turns that it was taken back with: these lines are of before the first of them.
   */
  together: string[];
  too_large: boolean;
  /**
   * Why not.
   */
  words: string;
}
/**
 * Result of ``list_changing_sessions``.
 */
export interface ChangingSessions {
  /**
   * Those that changed it last; the newest last.
   */
  session_ids: string[];
}
/**
 * What a turn changed, whoever wrote it, as it was at its end.
 */
export interface GetChanges {
  /**
   * Turns before it, the oldest first: the file is compared with what it was before them.
   *
   * @maxItems 1000
   */
  earlier: string[];
  /**
   * Each file's text before and after, or one patch that ``git apply`` takes.
   */
  form: 'texts' | 'patch';
  name: 'get_changes';
  /**
   * Of one file alone.
   */
  path: string | null;
  turn_id: string;
}
/**
 * The sessions that are open here and have changed a file, whatever notebook they are of.
 */
export interface ListChangingSessions {
  name: 'list_changing_sessions';
  /**
   * Of the file, below the server's root.
   */
  path: string;
}
/**
 * Take back what a turn changed, where nobody has changed it since; or undo that.
 */
export interface RevertTurn {
  /**
   * Turns before it, the oldest first, whose changes of these files go with it.
   *
   * @maxItems 1000
   */
  earlier: string[];
  /**
   * Parts of files, in place of whole ones.
   *
   * @maxItems 200
   */
  hunks: FileHunks[];
  /**
   * It was done in an open document, by its user: nothing is written, only remembered.
   */
  in_document: boolean;
  name: 'revert_turn';
  /**
   * Whether to take back what can be, where some files were changed since.
   */
  partial: boolean;
  /**
   * Which files; by default all of them.
   */
  paths: string[] | null;
  turn_id: string;
  /**
   * Whether to put back what was taken back.
   */
  undo: boolean;
}
/**
 * Result of ``revert_turn``.
 */
export interface RevertReply {
  /**
   * Files that are as they were before the turn now, or after it if that was undone.
   */
  paths: string[];
  /**
   * Files that were left as they are, and why; only with ``partial``.
   */
  refused: {
    [k: string]: string;
  };
  turn_id: string;
}
