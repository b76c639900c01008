import type { Diff, Hunk } from '../../wire/types';
import { compareCells } from './compare_cells';
import { compare } from './compare_lines';
import type { Comparison, DiffLine } from './compare_lines';

/** A change of consecutive lines, which can be kept or reverted by itself. */
export interface DiffHunk {
  /** Ranges of its lines before and after, from 0. */
  readonly range: Hunk;
  /** First and last line, from 1, as shown to the user, of the side with more lines. */
  readonly first: number;
  readonly last: number;
  /** Its name, if it does not consist of lines. */
  readonly words?: string;
}

/** In place of a range: a change of a notebook's metadata. */
export const AROUND_CELLS: Hunk = { old_start: 0, old_end: 0, new_start: 0, new_end: 0 };

/** The changes of a file that can be decided on: a notebook's cells, or hunks of lines. */
export function changesIn(diff: Diff): Hunk[] {
  const cells = compareCells(diff);
  if (cells !== null || diff.path.endsWith('.ipynb')) {
    const ranges = (cells?.rows ?? []).flatMap(row => (row.kind === 'same' ? [] : [row.range]));
    return cells?.rest === true ? [...ranges, AROUND_CELLS] : ranges;
  }
  const comparison = compare(diff);
  return comparison === null
    ? []
    : hunksOf(comparison).flatMap(hunk => (hunk === null ? [] : [hunk.range]));
}

/** The hunk of each section; `null` for a fold. */
export function hunksOf({ lines, sections }: Comparison): (DiffHunk | null)[] {
  let before = 0;
  let after = 0;
  return sections.map(section => {
    const shown = lines.slice(section.start, section.end);
    const hunk = section.folded ? null : hunkOf(shown, before, after);
    before += countExcept(shown, 'added');
    after += countExcept(shown, 'removed');
    return hunk;
  });
}

/** Whether a change is one of these. */
export function isAmong(hunk: Hunk, hunks: readonly Hunk[]): boolean {
  return hunks.some(other => hunkKey(other) === hunkKey(hunk));
}

/** A key that identifies a change in its file. */
export function hunkKey({ old_start, old_end, new_start, new_end }: Hunk): string {
  return [old_start, old_end, new_start, new_end].join(' ');
}

function hunkOf(lines: readonly DiffLine[], before: number, after: number): DiffHunk | null {
  const first = lines.findIndex(line => line.kind !== 'context');
  if (first < 0) {
    return null;
  }
  let last = lines.length - 1;
  while (lines[last]?.kind === 'context') {
    last -= 1;
  }
  const changed = lines.slice(first, last + 1);
  const old_start = before + first;
  const new_start = after + first;
  const old_end = old_start + countExcept(changed, 'added');
  const new_end = new_start + countExcept(changed, 'removed');
  const range: Hunk = { old_start, old_end, new_start, new_end };
  return new_end - new_start >= old_end - old_start
    ? { range, first: new_start + 1, last: new_end }
    : { range, first: old_start + 1, last: old_end };
}

/** Number of lines that are not of this kind. */
function countExcept(lines: readonly DiffLine[], kind: DiffLine['kind']): number {
  return lines.filter(line => line.kind !== kind).length;
}
