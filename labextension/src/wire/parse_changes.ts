import { flag, list, number, oneOf, text, texts } from './read';
import type { ChangedFile, Hunk, TurnChanges } from './types';

type Fields = Readonly<Record<string, unknown>>;

/** What a saved turn changed. */
export function parseChanges(value: Fields): TurnChanges {
  return {
    files: list(value, 'files', parseFile),
    left_out: number(value, 'left_out') ?? 0,
    revertible: flag(value, 'revertible'),
    words: text(value, 'words'),
    checkpoint: '',
    made_folders: texts(value, 'made_folders'),
  };
}

function parseFile(value: Fields): ChangedFile | null {
  const path = text(value, 'path');
  return path === ''
    ? null
    : {
        path,
        change: oneOf(value, 'change', ['modified', 'added', 'deleted', 'renamed', 'type']),
        old_path: text(value, 'old_path'),
        added: number(value, 'added'),
        removed: number(value, 'removed'),
        binary: flag(value, 'binary'),
        size: number(value, 'size'),
        old_mode: number(value, 'old_mode'),
        kept: flag(value, 'kept'),
        words: text(value, 'words'),
        reverted: flag(value, 'reverted'),
        reverted_hunks: list(value, 'reverted_hunks', parseHunk),
        // What only a record that lives can do something with.
        new_mode: null,
        came_from: '',
        together: [],
        old_text_id: '',
        new_text_id: '',
      };
}

function parseHunk(value: Fields): Hunk | null {
  const [old_start, old_end] = [number(value, 'old_start'), number(value, 'old_end')];
  const [new_start, new_end] = [number(value, 'new_start'), number(value, 'new_end')];
  return old_start === null || old_end === null || new_start === null || new_end === null
    ? null
    : { old_start, old_end, new_start, new_end };
}
