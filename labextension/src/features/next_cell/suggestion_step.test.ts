import { describe, expect, it, vi } from 'vitest';

import { identity } from '../../views/i18n';
import { noteProps } from './suggestion_step';
import type { Step, SuggestionHandlers } from './suggestion_step';

function show(step: Step) {
  const acts = {
    ...{
      insert: vi.fn<SuggestionHandlers['insert']>(),
      unfold: vi.fn<SuggestionHandlers['unfold']>(),
    },
    ...{ dismiss: vi.fn<() => void>(), again: vi.fn<() => void>() },
    ...{ addAgent: vi.fn<() => void>(), goToQuestion: vi.fn<() => void>() },
    openSession: vi.fn<() => void>(),
  };
  const { words, code, tone, actions } = noteProps(step, 'Demo', acts, identity);
  return { words, code, tone, names: actions.map(({ name }) => name), actions, acts };
}

describe('a suggestion', () => {
  it('says what it costs, before and after', () => {
    for (const waits of ['start', 'queue', 'agent'] as const) {
      expect(show({ at: 'asking', waits }).words).toMatch(/costs a prompt/);
    }
    const suggested = show({ at: 'suggested', source: 'a = 1', late: false });
    expect(suggested.words).toMatch(/Suggested by Demo.*It cost a prompt/);
    expect([suggested.code, suggested.names]).toEqual(['a = 1', ['Insert', 'Dismiss']]);
    expect(suggested.actions.map(({ key }) => key)).toEqual(['Tab', 'Escape']);
    suggested.actions[0]?.run();
    expect(suggested.acts.insert).toHaveBeenCalledWith('a = 1');
  });

  it('is folded where it comes late', () => {
    const late = show({ at: 'suggested', source: 'a = 1', late: true });
    expect([late.code, late.names]).toEqual([null, ['Show it', 'Dismiss']]);
    expect(late.actions.map(({ key }) => key)).toEqual([undefined, 'Escape']);
    late.actions[0]?.run();
    expect(late.acts.unfold).toHaveBeenCalledWith('a = 1');
  });

  it('leads on where it can’t be made', () => {
    expect(show({ at: 'asking', waits: 'answer' }).names).toEqual(['Go to the question', 'Stop']);
    const ended = show({ at: 'ended', words: 'No agent is ready yet.', reason: 'no_agent' });
    expect(ended.names).toEqual(['Add an agent…', 'Open the session', 'Ask again', 'Close']);
    expect(ended.tone).toBe('error');
    expect(show({ at: 'ended', words: 'Nothing.', reason: '' }).tone).toBe('info');
  });
});
