/* Made by `make gen` from the models in acp_jupyter; edit those. */

/**
 * What a turn changed in its folder, whoever wrote it.
 */
export interface TurnChanges {
  /**
   * Names what is kept of the folder; empty where nothing is.
   */
  checkpoint: string;
  files: ChangedFile[];
  /**
   * How many more there are.
   */
  left_out: number;
  made_folders: string[];
  revertible: boolean;
  /**
   * What is to be known of it, e.g. why it can't be taken back.
   */
  words: string;
}
/**
 * What became of one file in a turn.
 */
export interface ChangedFile {
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
   * Whether it can be taken back.
   */
  kept: boolean;
  /**
   * And after it.
   */
  new_mode: number | null;
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
  /**
   * Why not.
   */
  words: string;
}
/**
 * One change in a file: lines before the turn, and what the turn made of them.
 *
 * Lines are counted from 0, and the end is not one of them: an empty range is a place.
 * In a notebook they are its cells, and four zeros are what it says of itself.
 */
export interface Hunk {
  new_end: number;
  new_start: number;
  old_end: number;
  old_start: number;
}
/**
 * Some of the changes in one file.
 */
export interface FileHunks {
  /**
   * @maxItems 10000
   */
  hunks: Hunk[];
  path: string;
}
