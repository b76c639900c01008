import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';

import { message, SESSION, tool, TURN } from '../../tests/support/build';
import { appended, replaced, snapshot } from '../../tests/support/events';
import { parseServerFrame } from '../wire/parse_frame';
import { isRecord } from '../wire/read';
import type { Event, Item } from '../wire/types';
import { SessionStore } from './store';
import { textOf, withText } from './texts';

function store(...items: Item[]): SessionStore {
  const made = new SessionStore(SESSION);
  made.apply([snapshot(items)]);
  return made;
}

describe('SessionStore', () => {
  it('tells each listener once per flush, and only those concerned', () => {
    const made = store(message('m', '', true), tool('t'));
    const heard = { all: vi.fn(), session: vi.fn(), turn: vi.fn(), m: vi.fn(), t: vi.fn() };
    made.subscribe(heard.all);
    made.subscribeSession(heard.session);
    made.subscribeTurn(TURN, heard.turn);
    made.subscribeItem('m', heard.m);
    made.subscribeItem('t', heard.t);
    made.apply([appended('m', 0, 'a', 11), appended('m', 1, 'b', 12)]);
    expect(heard.all).toHaveBeenCalledTimes(1);
    expect(heard.m).toHaveBeenCalledTimes(1);
    expect(heard.session).not.toHaveBeenCalled();
    expect(heard.turn).not.toHaveBeenCalled();
    expect(heard.t).not.toHaveBeenCalled();
    made.apply([replaced(tool('t', { status: 'failed' }), 13)]);
    expect(heard.turn).toHaveBeenCalledTimes(1);
    expect(heard.t).toHaveBeenCalledTimes(1);
    expect(heard.m).toHaveBeenCalledTimes(1);
  });

  it('says nothing of what it has seen, and survives a broken listener', () => {
    const made = store();
    const log = vi.spyOn(console, 'error').mockReturnValue(undefined);
    const heard = vi.fn();
    made.subscribe(() => {
      throw new Error('broken');
    });
    const forget = made.subscribe(heard);
    made.apply([appended('m', 0, 'x', 3)]);
    expect(heard).not.toHaveBeenCalled();
    made.apply([replaced(tool('t'), 12)]);
    expect(heard).toHaveBeenCalledTimes(1);
    forget();
    made.apply([replaced(tool('t'), 13)]);
    expect(heard).toHaveBeenCalledTimes(1);
    log.mockRestore();
  });

  it('remembers what the user opened', () => {
    const { ui } = store();
    expect(ui.isOpen('x', true)).toBe(true);
    ui.setOpen('x', false);
    expect(ui.isOpen('x', true)).toBe(false);
    expect(ui.isTouched('x')).toBe(true);
    ui.thoughtsOpen = true;
    expect(new SessionStore('other').ui.thoughtsOpen).toBe(true);
    ui.thoughtsOpen = false;
  });
});

const GOLDEN = join(import.meta.dirname, '../../../tests/golden');

/** The events as the page takes them, and the items that the server has after them. */
function golden(name: string): { events: readonly Event[]; items: unknown } {
  const file: unknown = JSON.parse(readFileSync(join(GOLDEN, name), 'utf8'));
  if (!isRecord(file)) {
    throw new Error(`${name} holds no object`);
  }
  const frame = parseServerFrame(
    JSON.stringify({ type: 'events', session_id: SESSION, events: file.events }),
  );
  if (frame?.type !== 'events') {
    throw new Error(`${name} holds no events`);
  }
  return { events: frame.events, items: file.items };
}

describe('golden turns', () => {
  const names = readdirSync(GOLDEN).filter(
    name => name.startsWith('turn_') && name.endsWith('.json'),
  );
  it.each(names)('%s: the events give the items that the server has', name => {
    const { events, items } = golden(name);
    const made = new SessionStore(SESSION);
    for (const event of events) {
      made.apply([event]);
    }
    const { view } = made;
    expect(view.stale).toBe(false);
    const shown = view.order.flatMap(id => {
      const item = view.items.get(id);
      if (item === undefined) {
        return [];
      }
      const text = withText(item, 'text', textOf(view, id, 'text'));
      return [withText(text, 'output', textOf(view, id, 'output'))];
    });
    expect(shown).toEqual(items);
  });
});
