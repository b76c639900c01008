import { describe, expect, it } from 'vitest';

import { around, countItems, extended, heightOf, indexAt, trimmed } from './window_range';
import type { Segment } from './window_range';

const SEGMENTS: readonly Segment[] = Array.from({ length: 500 }, (_, index) => ({
  id: `t${index}`,
  turnId: `t${index}`,
  items: 10,
}));

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
});
