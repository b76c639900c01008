import type { Hunk } from '../../wire/types';

/** A changed cell. */
export interface CellChange {
  /** `moved`: several cells that are in another order, and may have changed as well. */
  readonly kind: 'changed' | 'added' | 'deleted' | 'moved';
  /** Id of the cell; empty for several, and in notebooks without ids. */
  readonly id: string;
  /** Number of the cell in the notebook that has it, from 1. */
  readonly number: number;
  readonly type: string;
  readonly before: string;
  readonly after: string;
  readonly outputs: boolean;
  /** Whether anything but source and outputs differs, e.g. tags. */
  readonly metadata: boolean;
  /** Range of cells before and after, from 0. */
  readonly range: Hunk;
}

/** A row of a notebook's diff: a changed cell, or a number of unchanged ones. */
export type CellRow = CellChange | { readonly kind: 'same'; readonly count: number };

export interface Cell {
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly outputs: string;
  /** Everything else of it. */
  readonly rest: string;
}

/** Joins cells that changed their order into one row: reverting a part would duplicate cells. */
export function withMoves(
  rows: readonly CellRow[],
  before: readonly Cell[],
  after: readonly Cell[],
  former: readonly (number | null)[],
): readonly CellRow[] {
  const moves = movesOf(former);
  const left = [...moves];
  const found: CellRow[] = [];
  let now = 0;
  const passTo = (end: number) => {
    if (end > now) {
      found.push({ kind: 'same', count: end - now });
      now = end;
    }
  };
  const passMoves = (end: number) => {
    for (let move = left[0]; move !== undefined && move.new_start < end; move = left[0]) {
      passTo(move.new_start);
      found.push(moveOf(move, before, after));
      now = move.new_end;
      left.shift();
    }
  };
  let end = 0;
  for (const row of rows) {
    if (row.kind === 'same') {
      end += row.count;
      passMoves(end);
      passTo(end);
    } else {
      end = row.range.new_end;
      passMoves(end);
      if (!moves.some(move => isIn(row.range, move))) {
        found.push(row);
        now = Math.max(now, end);
      }
    }
  }
  return found;
}

/** Whether a change lies within a move. */
function isIn({ old_start, old_end, new_start, new_end }: Hunk, move: Hunk): boolean {
  return new_end > new_start
    ? move.new_start <= new_start && new_end <= move.new_end
    : move.old_start <= old_start && old_end <= move.old_end;
}

/** The smallest ranges of cells whose order differs. */
function movesOf(former: readonly (number | null)[]): Hunk[] {
  const pairs = former.flatMap((old, now) => (old === null ? [] : [{ old, now }]));
  const moves: Hunk[] = [];
  let high = -1;
  let start = 0;
  pairs.forEach(({ old, now }, index) => {
    high = Math.max(high, old);
    if (pairs.slice(index + 1).every(later => later.old > high)) {
      const first = pairs[start];
      if (index > start && first !== undefined) {
        const olds = pairs.slice(start, index + 1).map(pair => pair.old);
        moves.push({
          old_start: Math.min(...olds),
          old_end: high + 1,
          new_start: first.now,
          new_end: now + 1,
        });
      }
      start = index + 1;
    }
  });
  return moves;
}

function moveOf(range: Hunk, before: readonly Cell[], after: readonly Cell[]): CellChange {
  return {
    kind: 'moved',
    id: '',
    number: range.new_start + 1,
    type: 'code',
    before: sourceOf(before.slice(range.old_start, range.old_end)),
    after: sourceOf(after.slice(range.new_start, range.new_end)),
    outputs: false,
    metadata: false,
    range,
  };
}

function sourceOf(cells: readonly Cell[]): string {
  return cells.map(({ source }) => source).join('\n\n');
}
