import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { message, SESSION } from '../../../../tests/support/build';
import { snapshot } from '../../../../tests/support/events';
import { emptyView, insertPage, reduce } from '../../../state/reducer';
import { idsOf } from '../../../state/runs';
import type { SessionView } from '../../../state/session_view';
import type { Item } from '../../../wire/types';
import { missingIn, segmentAt, segmentsOf } from './segments';

const TOTAL = 80;

const ALL: readonly Item[] = Array.from({ length: TOTAL }, (_, index) =>
  message(`m${index}`, String(index), false, `t${Math.floor(index / 7)}`),
);

function viewWith(first: number, pages: readonly (readonly [number, number])[]): SessionView {
  const window = { ...snapshot(ALL.slice(first)), first_index: first, total: TOTAL };
  return pages.reduce(
    (view, [start, count]) =>
      insertPage(view, {
        items: ALL.slice(start, start + count),
        first_index: start,
        total: TOTAL,
      }),
    reduce(emptyView(SESSION), window),
  );
}

describe('the segments of a session', () => {
  it('have each item once, in order, as an item or in a gap, and no id twice', () => {
    const pages = fc.array(fc.tuple(fc.nat(TOTAL - 1), fc.integer({ min: 1, max: 20 })), {
      maxLength: 10,
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: TOTAL - 1 }), pages, (first, some) => {
        const view = viewWith(first, some);
        const segments = segmentsOf(view);
        const seen = segments.flatMap(({ turnId, part, gap }) =>
          gap === null
            ? idsOf(view, turnId ?? '', part)
            : ALL.slice(gap.first, gap.first + gap.count).map(({ id }) => id),
        );
        expect(seen).toEqual(ALL.map(({ id }) => id));
        expect(new Set(segments.map(({ id }) => id)).size).toBe(segments.length);
        expect(missingIn(segments)).toBe(TOTAL - view.items.size);
        segments.forEach((segment, index) => {
          expect(segmentAt(segments, segment.first)).toBe(index);
          const next = segments[index + 1]?.first ?? TOTAL;
          expect(segmentAt(segments, next - 0.5)).toBe(index);
        });
        // The part of a turn that may still grow has its own id.
        expect(segments[segments.length - 1]?.id).toBe('t11');
      }),
    );
  });

  it('have gaps that are not higher than a browser can draw', () => {
    const view = { ...viewWith(70, []), firstIndex: 5_000_000 };
    const [gap] = segmentsOf(view);
    expect(gap?.gap?.height).toBeLessThan(17_000_000);
    const small = segmentsOf(viewWith(70, []))[0]?.gap;
    expect(small).toEqual({ first: 0, count: 70, height: 1_400 });
    expect(segmentsOf(viewWith(1, []))[0]?.gap?.height).toBe(64);
  });
});
