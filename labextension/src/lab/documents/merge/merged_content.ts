import type { CellConflict } from './merge_cells';

/** A change of the file that was not merged, because the user has changed the same text. */
export interface Conflict extends Omit<CellConflict, 'id'> {
  /** Id of the cell; empty for a text file and for a notebook's metadata. */
  readonly id: string;
}

/** The content of an open document, and its content when it was last loaded or saved. */
export interface MergedContent {
  /** As it would be on disk. */
  text(): string;
  noteSaving(): void;
  /** Whether the content is unchanged since it was saved. */
  noteSaved(): boolean;
  noteLoaded(): void;
  /**
   * Notes the file's content as the last saved, if it equals the open one; returns whether it does.
   */
  noteFile(content: unknown): boolean;
  /** Whether the file's content can be loaded into it. */
  canLoad(content: unknown): boolean;
  /**
   * Merges the file's content: a notebook's JSON, or a text. Returns the changes that were not
   * merged.
   */
  load(content: unknown): readonly Conflict[];
  /**
   * Remembers the content before the server may load a file over it.
   *
   * Call the returned function after that; it returns `null` if nothing was changed, or a function
   * that restores what the file did not have.
   */
  capture(): () => (() => readonly Conflict[]) | null;
  /** Merges a text that was written on top of `base`; throws and changes nothing on a conflict. */
  write(text: string, base: string | null): void;
  accept(conflict: Conflict): void;
  current(conflict: Conflict): string | null;
  /** The place of a conflict: the number of a cell, from 1, or another part of the document. */
  subjectOf(conflict: Conflict): number | 'metadata' | 'text';
}
