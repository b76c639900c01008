import { describe, expect, it } from 'vitest';

import { command, message, session, SESSION, tool, turn, TURN } from '../../tests/support/build';
import { added, appended, closed, replaced, snapshot } from '../../tests/support/events';
import type { Event } from '../wire/types';
import { emptyView, insertPage, reduce, reduceAll } from './reducer';
import type { SessionView } from './session_view';
import { textFrom, textLength, textOf } from './texts';

function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
}

function start(...items: Parameters<typeof snapshot>[0]): SessionView {
  return reduce(emptyView(SESSION), snapshot(items));
}

describe('reduce', () => {
  it('leaves the former view as it was', () => {
    const view = freeze(start(message('m', 'He', true)));
    const items = new Map(view.items);
    const next = reduceAll(
      view,
      freeze([
        appended('m', 2, 'llo', 11),
        added(tool('t'), 1, 12),
        replaced(message('m', 'Hello!'), 13),
        {
          kind: 'session_changed',
          session_id: SESSION,
          seq: 14,
          session: session({ title: 'New' }),
        },
        { kind: 'turn_ended', session_id: SESSION, seq: 15, turn: turn({ status: 'done' }) },
      ] satisfies Event[]),
    );
    expect(new Map(view.items)).toEqual(items);
    expect(textOf(view, 'm', 'text')).toBe('He');
    expect(view.order).toEqual(['m']);
    expect(view.session?.title).toBe('Make clean.py twice as fast');
    expect(textOf(next, 'm', 'text')).toBe('Hello!');
    expect(next.order).toEqual(['m', 't']);
    expect(next.byTurn.get(TURN)).toEqual(['m', 't']);
    expect(next.turns.get(TURN)?.status).toBe('done');
    expect(next.seq).toBe(15);
  });

  it('appends at the exact offset, cuts what overlaps, and notices a gap', () => {
    let view = start(message('m', 'Hello', true));
    view = reduce(view, appended('m', 5, ' wor', 11));
    view = reduce(view, appended('m', 7, 'orld', 12));
    expect(textOf(view, 'm', 'text')).toBe('Hello world');
    expect(view.stale).toBe(false);
    const same = reduce(view, appended('m', 0, 'Hello', 13));
    expect(textOf(same, 'm', 'text')).toBe('Hello world');
    const gap = reduce(same, appended('m', 20, 'x', 14));
    expect(gap.stale).toBe(true);
    expect(textOf(gap, 'm', 'text')).toBe('Hello world');
    expect(reduce(gap, snapshot([message('m', 'all')], undefined, undefined, 20)).stale).toBe(
      false,
    );
  });

  it('changes the end of a text, and notices a gap', () => {
    const start = reduce(emptyView(SESSION), snapshot([command('c', { output: '' })]));
    const grown = reduceAll(start, [
      appended('c', 0, 'one ', 11, 'output'),
      appended('c', 4, '1 %', 12, 'output'),
    ]);
    const changed = (offset: number, text: string): Event => ({
      ...{ kind: 'text_changed', session_id: SESSION, seq: 13, item_id: 'c', field: 'output' },
      ...{ offset, text },
    });
    expect(textOf(reduce(grown, changed(4, '2 %')), 'c', 'output')).toBe('one 2 %');
    expect(textOf(reduce(grown, changed(4, '')), 'c', 'output')).toBe('one ');
    const more = reduceAll(grown, [changed(4, '100 %'), appended('c', 9, '!', 14, 'output')]);
    expect(textOf(more, 'c', 'output')).toBe('one 100 %!');
    expect(reduce(grown, changed(8, 'x')).stale).toBe(true);
    expect(reduce(grown, changed(7, 'x')).stale).toBe(false);
  });

  it('joins a text when its item closes', () => {
    let view = start(message('m', 'Hel', true));
    view = reduceAll(view, [appended('m', 3, 'lo', 11), closed('m', 12)]);
    expect(view.items.get('m')).toEqual(message('m', 'Hello'));
    expect(view.growth.size).toBe(0);
    expect(textFrom(view, 'm', 'text', 3)).toBe('lo');
  });

  it('counts in UTF-16 code units', () => {
    let view = start(message('m', '👩‍💻', true));
    view = reduce(view, appended('m', '👩‍💻'.length, 'é', 11));
    expect(textOf(view, 'm', 'text')).toBe('👩‍💻é');
  });

  it('gives the same view however a stream is cut into events and flushes', () => {
    const text = 'The time goes into one place: a row loop.'.repeat(20);
    for (let seed = 1; seed <= 50; seed += 1) {
      let state = seed;
      const next = (below: number) => {
        state = (state * 48271) % 2147483647;
        return state % below;
      };
      const events: Event[] = [];
      let at = 0;
      let seq = 11;
      while (at < text.length) {
        const size = 1 + next(30);
        // Sometimes a piece is sent again, as after a reconnect.
        const back = next(4) === 0 ? Math.min(at, next(20)) : 0;
        events.push(appended('m', at - back, text.slice(at - back, at + size), seq));
        at = Math.min(text.length, at + size);
        seq += 1 + next(3);
      }
      let view = start(message('m', '', true));
      while (events.length > 0) {
        view = reduceAll(view, events.splice(0, 1 + next(5)));
      }
      expect(textOf(view, 'm', 'text')).toBe(text);
      const from = next(text.length);
      expect(textFrom(view, 'm', 'text', from)).toBe(text.slice(from));
      expect(view.stale).toBe(false);
    }
  });

  it('skips what it has seen, and what is of another session', () => {
    const view = start(message('m', 'a', true));
    expect(reduce(view, added(tool('t'), 1, 10))).toBe(view);
    expect(reduce(view, { ...added(tool('t'), 1, 99), session_id: 'other' })).toBe(view);
  });

  it('takes a merged event that carries a later number than the one after it', () => {
    const view = reduceAll(start(message('m', 'a', true)), [
      appended('m', 1, 'bc', 14),
      added(tool('t'), 1, 12),
    ]);
    expect(view.order).toEqual(['m', 't']);
    expect(view.seq).toBe(14);
  });

  it('notices a missing item', () => {
    expect(reduce(start(), added(tool('t'), 3, 11)).stale).toBe(true);
    expect(reduce(start(), appended('nobody', 0, 'x', 11)).stale).toBe(true);
  });

  it('keeps many growing texts whole', () => {
    const items = Array.from({ length: 200 }, (_, index) => message(`m${index}`, '', true));
    let view = start(...items);
    for (let round = 0; round < 3; round += 1) {
      for (const [index, item] of items.entries()) {
        view = reduce(
          view,
          appended(
            item.id,
            textLength(view, item.id, 'text'),
            `${round}.`,
            11 + round * 1000 + index,
          ),
        );
      }
    }
    expect(items.every(item => textOf(view, item.id, 'text') === '0.1.2.')).toBe(true);
    expect(view.growth.size).toBeLessThanOrEqual(64);
  });

  it('grows two fields of one item apart', () => {
    let view = start(tool('t', { output: 'a' }));
    view = reduce(view, appended('t', 1, 'b', 11, 'output'));
    expect(textOf(view, 't', 'output')).toBe('ab');
    expect(textOf(view, 't', 'text')).toBe('');
  });

  it('takes earlier pages, in any order, each item once', () => {
    const all = Array.from({ length: 30 }, (_, index) =>
      message(`m${index}`, String(index), false, `t${Math.floor(index / 10)}`),
    );
    const window = { ...snapshot(all.slice(20)), first_index: 20, total: 30 };
    let view = reduceAll(emptyView(SESSION), [window]);
    view = insertPage(view, { items: all.slice(0, 5), first_index: 0, total: 30 });
    expect(view.firstIndex).toBe(20);
    expect(view.byTurn.get('t0')).toHaveLength(5);
    expect(view.order).toHaveLength(10);
    view = insertPage(view, { items: all.slice(5, 22), first_index: 5, total: 30 });
    expect(view.firstIndex).toBe(0);
    view = insertPage(view, { items: all.slice(0, 5), first_index: 0, total: 30 });
    expect(view.order).toEqual(all.map(item => item.id));
    expect(view.byTurn.get('t0')).toEqual(all.slice(0, 10).map(item => item.id));
  });
});
