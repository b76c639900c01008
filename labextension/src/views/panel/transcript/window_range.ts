/** A stretch of the transcript: a turn, or an item between turns. */
export interface Segment {
  readonly id: string;
  readonly turnId: string | null;
  /** Items of it that are known. */
  readonly items: number;
}

/** Which segments are mounted, by place; `to` is the first that is not. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Up to so many items everything is mounted, and find-in-page finds everything. */
export const MAX_ITEMS = 400;

/** Items that are kept mounted in a longer session. */
const MOUNTED_ITEMS = 200;

/** Items that a long session begins with: they fill any view. */
const FIRST_ITEMS = 30;

/** Height of a segment that has never been seen. */
const LINE_HEIGHT = 44;

export function countItems(segments: readonly Segment[], from = 0, to = segments.length): number {
  let sum = 0;
  for (let index = from; index < to; index += 1) {
    sum += segments[index]?.items ?? 0;
  }
  return sum;
}

/** All of a short session, the end of a long one. */
export function firstRange(segments: readonly Segment[]): Range {
  const all = { from: 0, to: segments.length };
  return countItems(segments) <= MAX_ITEMS ? all : around(segments, segments.length - 1);
}

/** A step of segments about a place. */
export function around(segments: readonly Segment[], index: number, step = FIRST_ITEMS): Range {
  const here = Math.max(0, Math.min(index, segments.length - 1));
  const only = { from: here, to: Math.min(here + 1, segments.length) };
  const down = extended(segments, only, 'down', step);
  return extended(segments, down, 'up', step);
}

/** One step of items more at a side; at least one segment, where there is one. */
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
 * Without what is too much at the ends.
 *
 * `mayGo` says of a segment whether it lies far from what is being read.
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

/** Height of segments that are not mounted: as they were seen last, else a guess. */
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

/** The segment at a height. */
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

/** Many items of a turn lie folded in one line. */
function guess(items: number): number {
  return LINE_HEIGHT * Math.min(items, 6);
}
