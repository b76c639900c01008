import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { message, SESSION } from '../../tests/support/build';
import { added, snapshot } from '../../tests/support/events';
import { emptyView, insertPage, reduce } from './reducer';
import { endOf, idsOf, withoutFar, withRun } from './runs';
import type { Run, SessionView } from './session_view';
import { SessionStore } from './store';

const TOTAL = 60;

/** Seven items a turn. */
const ALL = Array.from({ length: TOTAL }, (_, index) =>
  message(`m${index}`, String(index), false, `t${Math.floor(index / 7)}`),
);

/** A page as the host sends it. */
function page(start: number, end: number) {
  return { items: ALL.slice(start, end), first_index: start, total: TOTAL };
}

/** The newest items of the session. */
function newest(first: number): SessionView {
  const window = { ...snapshot(ALL.slice(first)), first_index: first, total: TOTAL };
  return reduce(emptyView(SESSION), window);
}

const PAGES = fc.array(
  fc.tuple(fc.nat(TOTAL - 1), fc.integer({ min: 1, max: 25 })).map(([start, count]) => ({
    start,
    end: Math.min(TOTAL, start + count),
  })),
  { maxLength: 12 },
);

/** Every loaded item by its index, as the runs say. */
function places({ earlier, firstIndex, order }: SessionView): Map<number, string> {
  const runs = [...earlier, { firstIndex, ids: order }];
  return new Map(
    runs.flatMap(run => run.ids.map((id, at): [number, string] => [run.firstIndex + at, id])),
  );
}

describe('earlier items', () => {
  it('are those of all pages, however these overlap and in whatever order they come', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: TOTAL }), PAGES, (first, pages) => {
        let view = newest(first);
        const loaded = new Set([...ALL.keys()].filter(index => index >= first));
        for (const { start, end } of pages) {
          view = insertPage(view, page(start, end));
          for (let index = start; index < end; index += 1) {
            loaded.add(index);
          }
        }
        const found = places(view);
        expect([...found.keys()]).toEqual([...loaded].sort((one, other) => one - other));
        expect([...found].every(([index, id]) => id === `m${index}`)).toBe(true);
        expect(view.items.size).toBe(loaded.size);
        for (const [turnId, ids] of view.byTurn) {
          const own = ALL.filter(({ id, turn_id: of }) => of === turnId && view.items.has(id));
          expect(ids).toEqual(own.map(({ id }) => id));
        }
        // Runs are apart: those that touch become one.
        const ends = [...view.earlier.map(endOf), view.firstIndex];
        view.earlier.forEach((run, at) => {
          expect(endOf(run)).toBeLessThan(view.earlier[at + 1]?.firstIndex ?? view.firstIndex);
          expect(ends[at]).toBe(endOf(run));
        });
      }),
    );
  });

  it('become the whole session once all pages are there', () => {
    const starts = Array.from({ length: 6 }, (_, at) => 10 * at);
    fc.assert(
      fc.property(fc.shuffledSubarray(starts, { minLength: 6 }), order => {
        let view = newest(55);
        for (const start of order) {
          view = insertPage(view, page(start, start + 10));
        }
        expect(view.earlier).toEqual([]);
        expect(view.firstIndex).toBe(0);
        expect(view.order).toEqual(ALL.map(({ id }) => id));
      }),
    );
  });

  it('leave the end as it is, where new items join', () => {
    const view = insertPage(newest(50), page(5, 15));
    expect(view.earlier).toEqual([{ firstIndex: 5, ids: ALL.slice(5, 15).map(({ id }) => id) }]);
    const next = reduce(view, added(message('new', '', false, 't9'), TOTAL, 11));
    expect(next.earlier).toBe(view.earlier);
    expect(next.order).toEqual([...view.order, 'new']);
    expect(next.stale).toBe(false);
    expect(insertPage(view, page(30, 30)).earlier).toEqual(view.earlier);
  });

  it('are those of a part of a turn, where a part is drawn', () => {
    const view = insertPage(newest(10), page(0, 8));
    const part = { from: 0, to: 8, last: false, alone: true };
    expect(idsOf(view, 't1', part)).toEqual(['m7']);
    expect(idsOf(view, 't1', { from: 10, to: Infinity, last: true, alone: false })).toEqual([
      ...['m10', 'm11', 'm12', 'm13'],
    ]);
    expect(idsOf(view, 't1', null)).toHaveLength(5);
    expect(idsOf(view, 'nobody', part)).toEqual([]);
  });
});

describe('very many earlier items', () => {
  it('are forgotten from far off, but for those of turns that are drawn elsewhere', () => {
    let view = newest(55);
    for (const start of [0, 14, 28, 42]) {
      view = insertPage(view, page(start, start + 7));
    }
    const firsts = (of: SessionView) => of.earlier.map(({ firstIndex }) => firstIndex);
    expect(withoutFar(view, 42, () => false, 28)).toBe(view);
    const near = withoutFar(view, 42, () => false, 14);
    expect(firsts(near)).toEqual([28, 42]);
    expect(near.items.has('m0')).toBe(false);
    expect(near.positions.has('m0')).toBe(false);
    expect(near.byTurn.has('t0')).toBe(false);
    expect(near.items.size).toBe(19);
    expect(firsts(withoutFar(view, 3, () => false, 0))).toEqual([0]);
    expect(firsts(withoutFar(view, 42, turnId => turnId === 't0', 7))).toEqual([0, 42]);
  });

  it('never are more than 5,000 however often one jumps', () => {
    const store = new SessionStore(SESSION);
    const total = 100_000;
    const items = (first: number, count: number) =>
      Array.from({ length: count }, (_, at) =>
        message(`m${first + at}`, '', false, `t${Math.floor((first + at) / 7)}`),
      );
    const insert = (first: number) =>
      store.insert({ items: items(first, 100), first_index: first, total });
    store.apply([{ ...snapshot(items(total - 200, 200)), first_index: total - 200, total }]);
    const release = store.hold('held');
    const mine = message('mine', '', false, 'held');
    store.insert({ items: [mine], first_index: 50, total });
    let place = 7;
    for (let jump = 0; jump < 120; jump += 1) {
      place = (place * 48_271) % 2_147_483_647;
      const first = 200 + (place % (total - 500));
      insert(first);
      expect(store.view.items.has(`m${first}`)).toBe(true);
    }
    expect(store.view.items.size).toBeGreaterThan(4_000);
    expect(store.view.items.size).toBeLessThanOrEqual(5_000 + 200 + 1);
    expect(store.view.items.has('mine')).toBe(true);
    release();
    insert(90_000);
    expect(store.view.items.has('mine')).toBe(false);
  });
});

describe('a run', () => {
  it('joins those that it touches, and stays apart from the others', () => {
    const run = (firstIndex: number, ...ids: string[]): Run => ({ firstIndex, ids });
    const some = [run(0, 'a', 'b'), run(5, 'f'), run(9, 'j')];
    expect(withRun(some, run(2, 'c', 'd', 'e'))).toEqual([
      run(0, 'a', 'b', 'c', 'd', 'e', 'f'),
      run(9, 'j'),
    ]);
    expect(withRun(some, run(7, 'h'))).toEqual([...some.slice(0, 2), run(7, 'h'), run(9, 'j')]);
    expect(withRun(some, run(1, 'b'))).toEqual(some);
    expect(withRun([], run(3, 'd'))).toEqual([run(3, 'd')]);
    expect(withRun(some, run(3))).toEqual(some);
  });
});
