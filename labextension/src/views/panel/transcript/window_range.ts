/** A segment of the transcript: a turn, or an item between turns. */
export interface Segment {
  readonly id: string;
  readonly turnId: string | null;
  /** Number of its loaded items. */
  readonly items: number;
}

/** The range of mounted segments; `to` is the first that is not. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Up to so many items all are mounted, so that find-in-page works. */
export const MAX_ITEMS = 400;

/** Items that are kept mounted in a longer session. */
const MOUNTED_ITEMS = 200;

/** Items mounted at first in a long session: they fill any view. */
const FIRST_ITEMS = 30;

/** Assumed height of an item that was never mounted. */
const LINE_HEIGHT = 44;

export function countItems(segments: readonly Segment[], from = 0, to = segments.length): number {
  let sum = 0;
  for (let index = from; index < to; index += 1) {
    sum += segments[index]?.items ?? 0;
  }
  return sum;
}

/** The first range: all of a short session, the end of a long one. */
export function firstRange(segments: readonly Segment[]): Range {
  const all = { from: 0, to: segments.length };
  return countItems(segments) <= MAX_ITEMS ? all : around(segments, segments.length - 1);
}

/** A range of segments around an index. */
export function around(segments: readonly Segment[], index: number, step = FIRST_ITEMS): Range {
  const here = Math.max(0, Math.min(index, segments.length - 1));
  const only = { from: here, to: Math.min(here + 1, segments.length) };
  const down = extended(segments, only, 'down', step);
  return extended(segments, down, 'up', step);
}

/** The range extended by some items on one side; at least by one segment, if there is one. */
export function extended(
  segments: readonly Segment[],
  { from, to }: Range,
  side: 'up' | 'down',
  step: number,
): Range {
  let items = 0;
  while (items < step && (side === 'up' ? from > 0 : to < segments.length)) {
    if (side === 'up') {
      from -= 1;
    } else {
      to += 1;
    }
    items += segments[side === 'up' ? from : to - 1]?.items ?? 0;
  }
  return { from, to };
}

/**
 * The range without surplus segments at its ends.
 *
 * `mayGo` says whether a segment is far from what is being read.
 */
export function trimmed(
  segments: readonly Segment[],
  { from, to }: Range,
  mayGo: (segment: Segment) => boolean,
): Range {
  let items = countItems(segments, from, to);
  const goes = (segment: Segment | undefined): segment is Segment =>
    segment !== undefined && items > MOUNTED_ITEMS && to - from > 1 && mayGo(segment);
  for (let last = segments[to - 1]; goes(last); last = segments[to - 1]) {
    items -= last.items;
    to -= 1;
  }
  for (let first = segments[from]; goes(first); first = segments[from]) {
    items -= first.items;
    from += 1;
  }
  return { from, to };
}

/** Height of segments that are not mounted: as last measured, else a guess. */
export function heightOf(
  segments: readonly Segment[],
  heights: ReadonlyMap<string, number>,
  from: number,
  to: number,
): number {
  let sum = 0;
  for (let index = from; index < to; index += 1) {
    const { id = '', items = 0 } = segments[index] ?? {};
    sum += heights.get(id) ?? guess(items);
  }
  return sum;
}

/** Index of the segment at a scroll position. */
export function indexAt(
  segments: readonly Segment[],
  heights: ReadonlyMap<string, number>,
  top: number,
): number {
  let sum = 0;
  for (const [index, { id, items }] of segments.entries()) {
    sum += heights.get(id) ?? guess(items);
    if (sum > top) {
      return index;
    }
  }
  return segments.length - 1;
}

/** Guesses the height of a segment; many items of a turn are folded into one line. */
function guess(items: number): number {
  return LINE_HEIGHT * Math.min(items, 6);
}
