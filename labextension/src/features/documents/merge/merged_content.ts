import type { CellConflict } from './merge_cells';

/** A change that could not be taken in, since the user has changed the same. */
export interface Conflict extends Omit<CellConflict, 'id'> {
  /** Id of the cell; empty for a text, and for what a notebook says of itself. */
  readonly id: string;
}

/** The content of an open document, with what it was when it was last loaded or saved. */
export interface MergedContent {
  /** As it would be on disk. */
  text(): string;
  noteSaving(): void;
  /** Says whether what was saved is what is here now. */
  noteSaved(): boolean;
  noteLoaded(): void;
  /** Takes the file for what was saved last, if it holds just what is here; says whether it does. */
  noteFile(content: unknown): boolean;
  /** Whether this is a content for it, as it is on disk. */
  canLoad(content: unknown): boolean;
  /** Takes in what is on disk: its JSON, or its text. Returns what was left out. */
  load(content: unknown): readonly Conflict[];
  /**
   * Remembers how it is, before the server may load a file over it.
   *
   * What it returns is called after that, and gives `null` where nothing was changed, or what
   * brings back what the file had not.
   */
  capture(): () => (() => readonly Conflict[]) | null;
  /** Makes another text of it, or throws and changes nothing. */
  write(text: string, base: string | null): void;
  accept(conflict: Conflict): void;
  current(conflict: Conflict): string | null;
  /** The number of the cell, from 1; or what else of the document it is. */
  subjectOf(conflict: Conflict): number | 'metadata' | 'text';
}
