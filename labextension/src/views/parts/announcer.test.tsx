import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { message, permission, prompt, tool, turn, TURN } from '../../../tests/support/build';
import { draw } from '../../../tests/support/draw';
import type { Drawn } from '../../../tests/support/draw';
import { added } from '../../../tests/support/events';
import type { Event, Plan } from '../../wire/types';

const region = ({ element }: Drawn, how: 'polite' | 'assertive') =>
  element.querySelector(`[aria-live=${how}]`)?.textContent;

function plan(step: number): Plan {
  return {
    id: 'plan',
    turn_id: TURN,
    kind: 'plan',
    plan_id: '',
    text: '',
    entries: ['Look', 'Change', 'Test'].map((content, index) => ({
      content,
      priority: 'medium',
      status: index < step ? 'completed' : index === step ? 'in_progress' : 'pending',
    })),
  };
}

beforeEach(() => {
  vi.useFakeTimers({
    toFake: [
      'setTimeout',
      'clearTimeout',
      'performance',
      'requestAnimationFrame',
      'cancelAnimationFrame',
    ],
  });
});

afterEach(async () => {
  // Effects that still wait for a frame of this clock would delay those of the next test.
  await pass(200);
  vi.useRealTimers();
});

/** Lets views draw and effects run; both wait only briefly. */
async function pass(milliseconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
}

describe('what a screen reader is told of a turn', () => {
  it('is the log once: streams are not read, and it is busy while it runs', () => {
    const { view } = draw([message('m1', 'Text', true)]);
    const log = view.getByRole('log');
    expect(log.getAttribute('aria-live')).toBe('off');
    expect(log.getAttribute('aria-busy')).toBe('true');
  });

  it('is a step of the plan at most once in 5 seconds, and then the newest', async () => {
    const drawn = draw([plan(0)]);
    await pass(200);
    expect(region(drawn, 'polite')).toBe('Step 1 of 3: Look');
    const become = (step: number, seq: number) => {
      const event: Event = { kind: 'item_replaced', session_id: 's1', seq, item: plan(step) };
      drawn.store.apply([event]);
    };
    become(1, 102);
    await pass(1_000);
    become(2, 103);
    await pass(1_000);
    expect(region(drawn, 'polite')).toBe('Step 1 of 3: Look');
    await pass(4_000);
    expect(region(drawn, 'polite')).toBe('Step 3 of 3: Test');
  });

  it('is a question at once', async () => {
    const drawn = draw([prompt('p1', 'Go')]);
    const asking = tool('c1', { title: 'npm test', permission: permission({ title: 'Run npm' }) });
    drawn.store.apply([added(asking, 1, 102)]);
    await pass(300);
    expect(region(drawn, 'assertive')).toMatch(/^Permission request: Run npm\. \d options\.$/);
  });

  it('is no question that a policy answers at once', async () => {
    const drawn = draw([prompt('p1', 'Go')]);
    const asking = tool('c1', { title: 'npm test', permission: permission({ title: 'Run npm' }) });
    drawn.store.apply([added(asking, 1, 102)]);
    await pass(50);
    const item = { ...asking, permission: permission({ state: 'allowed' }) };
    drawn.store.apply([{ kind: 'item_replaced', session_id: 's1', seq: 103, item }]);
    await pass(1_000);
    expect(region(drawn, 'assertive')).toBe('');
    expect(document.activeElement).toBe(document.body);
  });

  it.each([
    ['Done.', { stop_reason: 'end_turn' }, 'polite'],
    ['Stopped.', { stop_reason: 'cancelled' }, 'polite'],
    [
      'Out of credit.',
      { stop_reason: 'error', failure: { message: 'Out of credit.', detail: '', reason: '' } },
      'assertive',
    ],
  ] as const)('is its end: %s', async (words, over, how) => {
    const drawn = draw([message('m1', 'Text')]);
    await pass(6_000);
    const ended = turn({ status: 'done', ended_at: 9, ...over });
    drawn.store.apply([{ kind: 'turn_ended', session_id: 's1', seq: 102, turn: ended }]);
    await pass(6_000);
    expect(region(drawn, how)).toBe(words);
  });
});
