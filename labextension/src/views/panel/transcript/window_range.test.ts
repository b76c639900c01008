import { describe, expect, it } from 'vitest';

import type { Segment } from './segments';
import {
  around,
  countItems,
  extended,
  heightOf,
  indexAt,
  rangeOf,
  spanOf,
  trimmed,
} from './window_range';

const SEGMENTS: readonly Segment[] = Array.from({ length: 500 }, (_, index) => ({
  id: `t${index}`,
  turnId: `t${index}`,
  items: 10,
  first: 10 * index,
  part: null,
  gap: null,
}));

function gap(first: number, count: number): Segment {
  const empty = { first, count, height: 20 * count };
  return { id: `gap ${first}`, turnId: null, items: 1, first, part: null, gap: empty };
}

describe('the mounted part of a long session', () => {
  it('grows by what fits in a frame, and stops at the ends', () => {
    expect(extended(SEGMENTS, { from: 100, to: 110 }, 'up', 30)).toEqual({ from: 97, to: 110 });
    expect(extended(SEGMENTS, { from: 100, to: 110 }, 'down', 30)).toEqual({ from: 100, to: 113 });
    expect(extended(SEGMENTS, { from: 1, to: 499 }, 'up', 30)).toEqual({ from: 0, to: 499 });
    expect(extended(SEGMENTS, { from: 0, to: 500 }, 'down', 30)).toEqual({ from: 0, to: 500 });
  });

  it('loses only what lies far away, down to 200 items', () => {
    const far = ({ id }: Segment) => Number(id.slice(1)) > 120;
    expect(trimmed(SEGMENTS, { from: 100, to: 150 }, far)).toEqual({ from: 100, to: 121 });
    const range = trimmed(SEGMENTS, { from: 100, to: 150 }, () => true);
    expect(countItems(SEGMENTS, range.from, range.to)).toBe(200);
    expect(trimmed(SEGMENTS, { from: 100, to: 115 }, () => true)).toEqual({ from: 100, to: 115 });
  });

  it('lies about any place', () => {
    expect(around(SEGMENTS, -5)).toEqual({ from: 0, to: 4 });
    expect(around(SEGMENTS, 9_999)).toEqual({ from: 496, to: 500 });
    expect(around([], 0)).toEqual({ from: 0, to: 0 });
  });

  it('takes the heights that were seen', () => {
    const heights = new Map([['t0', 1_000]]);
    expect(heightOf(SEGMENTS, heights, 0, 1)).toBe(1_000);
    expect(indexAt(SEGMENTS, heights, 999)).toBe(0);
    expect(indexAt(SEGMENTS, heights, 1_001)).toBe(1);
    expect(indexAt(SEGMENTS, heights, Infinity)).toBe(499);
  });

  it('keeps its place when a page comes in, and does not grow by what is in it', () => {
    const former = [gap(0, 1_000), ...SEGMENTS.slice(100)];
    const span = spanOf(former, { from: 0, to: 401 });
    expect(rangeOf(former, span)).toEqual({ from: 0, to: 401 });
    const joined = [gap(0, 900), ...SEGMENTS.slice(90)];
    expect(rangeOf(joined, span)).toEqual({ from: 10, to: 411 });
    const apart = [...SEGMENTS.slice(0, 10), gap(100, 900), ...SEGMENTS.slice(100)];
    expect(rangeOf(apart, span)).toEqual({ from: 10, to: 411 });
    const before = [...SEGMENTS.slice(0, 20), gap(200, 300), ...SEGMENTS.slice(50)];
    const above = spanOf(before, { from: 5, to: 21 });
    expect(rangeOf(before, above)).toEqual({ from: 5, to: 21 });
    expect(rangeOf([...SEGMENTS.slice(0, 25), gap(250, 250)], above)).toEqual({ from: 5, to: 21 });
  });

  it('has gaps of the height that they are told to have', () => {
    const some = [gap(0, 1_000), ...SEGMENTS.slice(100)];
    expect(heightOf(some, new Map([['gap 0', 5]]), 0, 1)).toBe(20_000);
    expect(indexAt(some, new Map(), 19_999)).toBe(0);
    expect(indexAt(some, new Map(), 20_001)).toBe(1);
  });
});
