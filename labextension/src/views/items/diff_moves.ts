import type { Hunk } from '../../wire/types';
import type { Cell, CellChange, CellRow } from './diff_notebook';

/** Puts in one row what changed its order: to take back a part of that would double cells. */
export function withMoves(
  rows: readonly CellRow[],
  before: readonly Cell[],
  after: readonly Cell[],
  former: readonly (number | null)[],
): readonly CellRow[] {
  const moves = movesOf(former);
  if (moves.length === 0) {
    return rows;
  }
  const isMoved = new Set(
    moves.flatMap(({ new_start, new_end }) =>
      Array.from({ length: new_end - new_start }, (_, step) => new_start + step),
    ),
  );
  const found: CellRow[] = [];
  const passMoves = (end: number) => {
    while (moves[0] !== undefined && moves[0].new_end <= end) {
      const range = moves.shift();
      if (range !== undefined) {
        found.push(moveOf(range, before, after));
      }
    }
  };
  let now = 0;
  for (const row of rows) {
    if (row.kind !== 'same') {
      const { old_start, old_end, new_start, new_end } = row.range;
      passMoves(new_start);
      const inside = moves.some(
        move =>
          (new_end > new_start && move.new_start <= new_start && new_end <= move.new_end) ||
          (old_end > old_start && move.old_start <= old_start && old_end <= move.old_end),
      );
      now = new_end;
      if (!inside) {
        found.push(row);
      }
      continue;
    }
    let count = 0;
    const close = () => {
      if (count > 0) {
        found.push({ kind: 'same', count });
        count = 0;
      }
    };
    for (let step = 0; step < row.count; step += 1, now += 1) {
      if (isMoved.has(now)) {
        close();
      } else {
        if (moves[0] !== undefined && moves[0].new_end <= now) {
          close();
          passMoves(now);
        }
        count += 1;
      }
    }
    close();
  }
  passMoves(Infinity);
  return found;
}

/** The smallest ranges in which cells are in another order. */
function movesOf(former: readonly (number | null)[]): Hunk[] {
  const pairs = former.flatMap((old, now) => (old === null ? [] : [{ old, now }]));
  const lowest: number[] = [];
  let low = Infinity;
  for (const { old } of [...pairs].reverse()) {
    low = Math.min(low, old);
    lowest.unshift(low);
  }
  const moves: Hunk[] = [];
  let high = -1;
  let start = 0;
  pairs.forEach(({ old, now }, index) => {
    high = Math.max(high, old);
    if (high < (lowest[index + 1] ?? Infinity)) {
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
  const was = before.slice(range.old_start, range.old_end);
  const is = after.slice(range.new_start, range.new_end);
  const text = (cells: readonly Cell[]) => cells.map(({ source }) => source).join('\n\n');
  const number = range.new_start + 1;
  return {
    ...{ kind: 'moved', number, type: 'code', before: text(was), after: text(is), range },
    ...{ outputs: false, metadata: false },
  };
}
