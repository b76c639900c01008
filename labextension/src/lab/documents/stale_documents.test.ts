import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { summary } from '../../../tests/support/panel';
import { Listeners } from '../../delivery/listeners';
import type { SessionSummary } from '../../wire/types';
import { StaleDocuments } from './stale_documents';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** A document, and how often it was looked at. */
function document(takeIn: () => Promise<boolean>) {
  const looked = { times: 0 };
  return {
    looked,
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
});
