import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { Listeners } from '../../src/delivery/listeners';
import { StaleDocuments } from '../../src/plugins/staleDocuments';
import type { SessionSummary } from '../../src/wire/types';
import { summary } from '../support/panel';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** A document, and how often it was looked at. */
function document(takeIn: () => Promise<boolean>) {
  const looked = { times: 0, turns: 0 };
  return {
    looked,
    noteTurn: () => {
      looked.turns += 1;
    },
    takeIn: () => {
      looked.times += 1;
      return takeIn();
    },
  };
}

describe('documents while an agent works', () => {
  it('are looked at though the save of one waits for its user', async () => {
    let save: (isOver: boolean) => void = () => undefined;
    const asking = new Promise<boolean>(resolve => {
      save = resolve;
    });
    const stuck = document(() => asking);
    const other = document(() => Promise.resolve(true));
    const sessionsChanged = new Listeners<readonly SessionSummary[]>();
    const client = {
      turnsChanged: new Listeners<string>(),
      sessionsChanged,
      sessions: [summary('one', { status: 'running' })],
      follow: () => {
        throw new Error('No turn changes here.');
      },
    };
    new StaleDocuments(client, () => [stuck, other]);
    sessionsChanged.emit(client.sessions);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(other.looked.times).toBeGreaterThan(5);
    expect(stuck.looked.times).toBe(1);
    save(true);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(stuck.looked.times).toBeGreaterThan(1);
  });

  it('hear of a turn that begins while no agent is at work', () => {
    const open = document(() => Promise.resolve(false));
    const sessionsChanged = new Listeners<readonly SessionSummary[]>();
    const none: SessionSummary[] = [];
    const client = {
      turnsChanged: new Listeners<string>(),
      sessionsChanged,
      sessions: none,
      follow: () => {
        throw new Error('No turn changes here.');
      },
    };
    new StaleDocuments(client, () => [open]);
    const say = (...sessions: SessionSummary[]) => {
      client.sessions = sessions;
      sessionsChanged.emit(sessions);
      return open.looked.turns;
    };
    const [one, other] = [
      summary('one', { status: 'running' }),
      summary('other', { status: 'running' }),
    ];
    expect(say(one)).toBe(1);
    expect(say({ ...one, status: 'requires_action' })).toBe(1);
    expect(say(one, other)).toBe(1);
    expect(say(other)).toBe(1);
    expect(say()).toBe(1);
    expect(say(other)).toBe(2);
    expect(say(one)).toBe(3);
  });
});
