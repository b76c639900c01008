import { fireEvent, within } from '@testing-library/preact';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { SESSION } from '../../../tests/support/build';
import { SessionStore } from '../../state/store';
import { identity } from '../../views/i18n';
import { mountProposalNote } from '../../lab/proposal/proposal_note';
import { drawn, isAnother } from './fix_step';
import type { FixHandlers, Step } from './fix_step';

afterEach(() => document.body.replaceChildren());

function acting() {
  return {
    ...{ take: vi.fn<FixHandlers['take']>(), run: vi.fn<FixHandlers['run']>() },
    ...{ takeBack: vi.fn<FixHandlers['takeBack']>(), again: vi.fn<FixHandlers['again']>() },
    ...{ dismiss: vi.fn<FixHandlers['dismiss']>(), close: vi.fn<FixHandlers['close']>() },
    ...{ addAgent: vi.fn<FixHandlers['addAgent']>(), openSession: vi.fn<() => void>() },
    ...{
      answer: vi.fn<FixHandlers['answer']>(),
      goToQuestion: vi.fn<FixHandlers['goToQuestion']>(),
    },
  };
}

function show(step: Step, { stale = false, acts = acting() } = {}) {
  const element = document.createElement('div');
  element.className = 'acp';
  document.body.append(element);
  const context = { agent: 'Demo', asked: 'a = 1 / 0', stale, acts, t: identity };
  mountProposalNote(element, {
    label: 'Fix',
    ...{ step: 's1', language: 'python' },
    ...drawn(step, context),
    scene: {
      store: new SessionStore(SESSION),
      ...{ host: 'panel' as const, actions: null, t: identity, announce: () => undefined },
    },
  });
  const page = within(element);
  const press = (key: string, repeat = false) => {
    page.getByRole('group', { name: 'Fix' }).focus();
    fireEvent.keyDown(page.getByRole('group', { name: 'Fix' }), { key, repeat });
  };
  const names = () => page.getAllByRole('button').map(({ textContent }) => textContent);
  return { page, acts, press, names, element };
}

const proposed: Step = { at: 'proposed', source: 'a = 1', request: null, busy: false };

describe('the note of a fix', () => {
  it('shows the difference, and applies or dismisses it by a key', () => {
    const { element, acts, press, names } = show(proposed);
    expect(element.querySelector('del')?.textContent).toBe('a = 1 / 0');
    expect(element.querySelector('ins')?.textContent).toBe('a = 1');
    expect(names()).toEqual(['Apply and runY', 'DismissEsc']);
    press('n');
    press('y', true);
    expect(acts.take).not.toHaveBeenCalled();
    press('Y');
    expect(acts.take).toHaveBeenCalledExactlyOnceWith(proposed);
    press('Escape');
    expect(acts.dismiss).toHaveBeenCalledOnce();
  });

  it('applies nothing to a cell that was changed since, nor twice', () => {
    const stale = show(proposed, { stale: true });
    expect(stale.element.textContent).toContain('You have changed this cell since');
    stale.press('y');
    expect(stale.acts.take).not.toHaveBeenCalled();
    document.body.replaceChildren();
    const busy = show({ ...proposed, busy: true }, { stale: true });
    busy.press('y');
    expect(busy.acts.take).not.toHaveBeenCalled();
    expect(busy.element.textContent).not.toContain('changed this cell');
    expect(busy.names()).toEqual(['Open the session', 'Stop']);
  });

  it('asks whether a tool may read, and answers that by a key', () => {
    const request = { requestId: 'r1', allow: 'yes', reject: 'no' };
    const step: Step = { at: 'asks', tool: 'mcp__notebook__last_error', request };
    const { element, acts, press, names } = show(step);
    expect(element.textContent).toContain('Demo asks to read: mcp__notebook__last_error');
    expect(names()).toEqual(['Allow onceY', 'RejectN', 'Go to the question', 'StopEsc']);
    press('y');
    expect(acts.answer).toHaveBeenLastCalledWith('r1', 'yes');
    press('n');
    expect(acts.answer).toHaveBeenLastCalledWith('r1', 'no');
    press('Escape');
    expect(acts.dismiss).toHaveBeenCalledOnce();
    expect(isAnother(step, { ...step })).toBe(false);
    expect(isAnother({ ...step, request: { ...request, requestId: 'r2' } }, step)).toBe(true);
  });

  it('counts what is pressed for the proposal that was seen alone', () => {
    const request = { requestId: 'r1', allow: 'yes', reject: null };
    expect(isAnother({ ...proposed, busy: true }, proposed)).toBe(false);
    expect(isAnother({ ...proposed, request }, proposed)).toBe(true);
    expect(isAnother({ ...proposed, source: 'a = 2' }, proposed)).toBe(true);
    expect(isAnother({ at: 'asking', waits: 'agent' }, proposed)).toBe(true);
  });

  it('takes back by a key what is in the cell', () => {
    const step: Step = { at: 'taken', source: 'a = 1', ran: 'failed', note: '' };
    const { acts, press, names } = show(step);
    expect(names()).toEqual(['Fix this error too', 'Take backN', 'CloseEsc']);
    press('n');
    expect(acts.takeBack).toHaveBeenCalledExactlyOnceWith(step);
  });

  it.each([
    ['asking, with a question', { at: 'asking', waits: 'answer' }, 'Go to the question'],
    ['not run yet', { at: 'taken', source: '', ran: 'no', note: '' }, 'Run the cellY'],
    ['without an agent', { at: 'ended', words: 'None.', reason: 'no_agent' }, 'Add an agent…'],
    ['a failure', { at: 'ended', words: 'Log in.', reason: 'failed' }, 'Open the session'],
  ] as const)('says what can be done: %s', (_, step, name) => {
    expect(show(step).names()).toContain(name);
  });
});
