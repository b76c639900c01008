import { describe, expect, it } from 'vitest';

import { identity } from '../../views/i18n';
import type { SessionSummary } from '../../wire/types';
import { SessionWatch, statusWords } from './session_news';

function summary(over: Partial<SessionSummary> = {}): SessionSummary {
  return {
    agent_id: 'demo',
    agent_name: 'Demo',
    can: [],
    notebook_path: '',
    read_only: '',
    archived: false,
    branched_from: '',
    continues_in: '',
    serves_cells: false,
    is_variant: false,
    session_id: 's',
    status: 'idle',
    stored: false,
    title: 'Clean up',
    updated_at: null,
    waiting: 0,
    background: 0,
    ...over,
  };
}

describe('news', () => {
  it('are a question that was not there, once', () => {
    const watch = new SessionWatch(identity);
    expect(watch.update([summary({ status: 'running' })], 0)).toEqual([]);
    const asking = summary({ status: 'requires_action', waiting: 1 });
    expect(watch.update([asking], 1_000)).toEqual([
      { sessionId: 's', title: 'Demo waits for your answer', body: 'Clean up' },
    ]);
    expect(watch.update([asking], 2_000)).toEqual([]);
  });

  it('are the end of a long turn, and not of a short one', () => {
    const watch = new SessionWatch(identity);
    watch.update([summary({ status: 'running' })], 0);
    expect(watch.update([summary()], 29_999)).toEqual([]);
    watch.update([summary({ status: 'running' })], 40_000);
    expect(watch.update([summary()], 70_000)).toEqual([
      { sessionId: 's', title: 'Demo is done', body: 'Clean up' },
    ]);
    expect(watch.update([summary()], 71_000)).toEqual([]);
  });
});

describe('the status bar', () => {
  it('says what waits before what runs, and nothing else', () => {
    const running = summary({ status: 'running' });
    expect(statusWords([summary()], identity)).toEqual({ text: '', waiting: false });
    expect(statusWords([running], identity).text).toBe('Demo is running');
    expect(statusWords([running, running], identity).text).toBe('2 agents are running');
    expect(statusWords([running, summary({ waiting: 2 })], identity)).toEqual({
      text: '2 waiting',
      waiting: true,
    });
  });
});
