import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { message, prompt, session, SESSION, tool, turn } from '../../../tests/support/build';
import { DONE, drawnOf } from '../../../tests/support/draw';
import { closed, replaced, snapshot } from '../../../tests/support/events';
import { SessionStore } from '../../state/store';

const TURNS = 300;

beforeEach(() => {
  vi.useFakeTimers({
    toFake: [
      'setTimeout',
      'clearTimeout',
      'setInterval',
      'clearInterval',
      'requestAnimationFrame',
      'cancelAnimationFrame',
    ],
  });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('a notebook of 300 turns', () => {
  it('has timers while they run, and none when they have ended', async () => {
    const works = tool('i1', { status: 'in_progress', started_at: 1 });
    const stores = Array.from({ length: TURNS }, (_, number) => {
      const id = `t${number}`;
      const items = [
        prompt('i0', 'Go', id),
        { ...works, turn_id: id },
        message('i2', 'It works', true, id),
      ];
      const store = new SessionStore(SESSION);
      const state = session({ active_turn_id: id });
      store.apply([snapshot(items, [turn({ turn_id: id })], state)]);
      drawnOf(store, id, {});
      return store;
    });
    await vi.advanceTimersByTimeAsync(200);
    expect(vi.getTimerCount()).toBeGreaterThan(0);
    stores.forEach((store, number) => {
      const id = `t${number}`;
      store.apply([
        replaced({ ...works, turn_id: id, status: 'completed', ended_at: 2 }, 11),
        closed('i2', 12),
        { kind: 'turn_ended', session_id: SESSION, seq: 13, turn: { ...DONE, turn_id: id } },
      ]);
    });
    // Announcements wait for at most five seconds.
    await vi.advanceTimersByTimeAsync(6_000);
    expect(vi.getTimerCount()).toBe(0);
    expect(document.querySelectorAll('.acp-turn')).toHaveLength(TURNS);
  }, 60_000);
});
