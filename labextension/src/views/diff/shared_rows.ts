import type { CellChange, CellRow } from './cell_moves';
import type { CellsComparison } from './compare_cells';

/** A row of one of several diffs of a notebook; `none` if only others have the cell. */
export type SharedRow = CellRow | { readonly kind: 'none' };

/** The changes in one row, by the number of their diff. */
interface Place {
  readonly order: number;
  /** Range of the cells that all diffs began with; empty for new cells, and for moves. */
  readonly from: number;
  readonly to: number;
  readonly changes: Map<number, CellChange>;
}

/**
 * Aligns diffs of one notebook side by side: all get the same number of rows, and a cell is in the
 * same row of each. They must begin with the same text.
 */
export function sharedRows(diffs: readonly CellsComparison[]): readonly (readonly SharedRow[])[] {
  const places = new Map<string, Place>();
  const moves = diffs.map(({ rows }) =>
    rows.flatMap(row => (row.kind === 'moved' ? row.range : [])),
  );
  diffs.forEach(({ rows }, number) => {
    for (const row of rows) {
      if (row.kind !== 'same') {
        const key = keyOf(row, number);
        const place = places.get(key) ?? placeOf(row);
        place.changes.set(number, row);
        places.set(key, place);
      }
    }
  });
  const found: SharedRow[][] = diffs.map(() => []);
  const add = (from: number, to: number, changes?: ReadonlyMap<number, CellChange>) => {
    found.forEach((rows, number) => {
      // Cells within a move are in its row.
      const isMoved = moves[number]?.some(range => range.old_start <= from && to <= range.old_end);
      const unchanged: SharedRow =
        to === from || isMoved === true ? { kind: 'none' } : { kind: 'same', count: to - from };
      rows.push(changes?.get(number) ?? unchanged);
    });
  };
  const ends = moves.flat().map(range => range.old_end);
  let next = 0;
  const passTo = (end: number) => {
    while (next < end) {
      const stop = Math.min(end, ...ends.filter(each => each > next));
      add(next, stop);
      next = stop;
    }
  };
  // Sorting keeps the order of new cells that are above the same cell.
  for (const place of [...places.values()].sort((one, other) => one.order - other.order)) {
    passTo(place.from);
    add(place.from, place.to, place.changes);
    next = place.to;
  }
  passTo(Math.max(0, ...diffs.map(cellsBefore)));
  return found;
}

/** New cells and moves are above the cell that was there. */
function placeOf({ kind, range }: CellChange): Place {
  const from = range.old_start;
  const isThere = kind === 'changed' || kind === 'deleted';
  const order = from + (isThere ? 0.5 : kind === 'moved' ? 0.25 : 0);
  return { order, from, to: isThere ? range.old_end : from, changes: new Map() };
}

function keyOf({ kind, id, range }: CellChange, number: number): string {
  switch (kind) {
    case 'added':
      return `added ${id === '' ? `${number} ${range.new_start}` : id}`;
    case 'moved':
      return `moved ${number} ${range.new_start}`;
    case 'changed':
    case 'deleted':
      return `cell ${range.old_start}`;
  }
}

/** Number of cells that the notebook had before. */
function cellsBefore({ rows }: CellsComparison): number {
  return rows.reduce(
    (sum, row) => sum + (row.kind === 'same' ? row.count : row.range.old_end - row.range.old_start),
    0,
  );
}
