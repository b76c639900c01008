import { segmentAt } from './segments';
import type { Segment } from './segments';

/** The range of mounted segments; `to` is exclusive. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Up to this number of items, all are mounted, so that find-in-page works. */
export const MAX_ITEMS = 400;

/** Number of items that are kept mounted in a longer session. */
const MOUNTED_ITEMS = 200;

/** Number of items mounted at first in a long session: they fill any view. */
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

/** The mounted range by indexes of items, so that it stays valid when pages come in. */
export interface Span {
  readonly from: number;
  /** `null` for the end of the transcript. */
  readonly to: number | null;
}

/**
 * The items of a range. For a gap at its edge, the edge counts, so items that fill the gap are not
 * mounted.
 */
export function spanOf(segments: readonly Segment[], { from, to }: Range): Span {
  const first = segments[from];
  const last = segments[to - 1];
  return {
    from: (first?.first ?? 0) + (first?.gap ? first.gap.count - 0.5 : 0),
    to: to >= segments.length ? null : last?.gap ? last.first + 0.5 : (segments[to]?.first ?? 0),
  };
}

/** The range of such items; `null` for none. */
export function rangeOf(segments: readonly Segment[], span: Span): Range | null {
  const from = segmentAt(segments, span.from);
  let to = segments.length;
  if (span.to !== null) {
    const last = segmentAt(segments, span.to);
    to = (segments[last]?.first ?? 0) < span.to ? last + 1 : last;
  }
  return to <= from ? null : { from, to };
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
 * `mayGo` says whether a segment is far from the reading position.
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

/** Height of segments that are not mounted: as last measured, else an estimate. */
export function heightOf(
  segments: readonly Segment[],
  heights: ReadonlyMap<string, number>,
  from: number,
  to: number,
): number {
  let sum = 0;
  for (let index = from; index < to; index += 1) {
    sum += heightIn(segments[index], heights);
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
  for (const [index, segment] of segments.entries()) {
    sum += heightIn(segment, heights);
    if (sum > top) {
      return index;
    }
  }
  return segments.length - 1;
}

function heightIn(segment: Segment | undefined, heights: ReadonlyMap<string, number>): number {
  if (segment === undefined) {
    return 0;
  }
  return segment.gap?.height ?? heights.get(segment.id) ?? guess(segment.items);
}

/** Estimates the height of a segment; many items of a turn are folded into one line. */
function guess(items: number): number {
  return LINE_HEIGHT * Math.min(items, 6);
}
