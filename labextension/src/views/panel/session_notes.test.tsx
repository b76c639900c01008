import { fireEvent, within } from '@testing-library/preact';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { SESSION, turn, TURN } from '../../../tests/support/build';
import { snapshot } from '../../../tests/support/events';
import { IDLE, lifeOf, showPanel, summary } from '../../../tests/support/panel';
import type { ShownPanel } from '../../../tests/support/panel';
import { SessionStore } from '../../state/store';
import type { Item, SessionState } from '../../wire/types';
import type { Actions } from '../actions';

afterEach(() => void vi.useRealTimers());

describe('what is known of an open session', () => {
  function open(over: Partial<SessionState>, actions: Partial<Actions> = {}): ShownPanel {
    const store = new SessionStore(SESSION);
    store.apply([snapshot([], [], { ...IDLE, ...over })]);
    return showPanel({ store }, actions);
  }

  it('says why nothing can be written, in place of the message box', () => {
    const panel = open({
      read_only: 'This session is open in another server. You can read it here.',
    });
    const box = panel.view.getByRole('textbox', { name: 'Message' });
    expect(box.hasAttribute('disabled')).toBe(true);
    expect(document.getElementById(box.getAttribute('aria-describedby') ?? '')?.textContent).toBe(
      'This session is open in another server. You can read it here.',
    );
    expect(panel.view.queryByRole('button', { name: 'Send' })).toBeNull();
  });

  it('says so of an imported one', () => {
    const panel = open({ agent: 'imported' });
    expect(panel.element.textContent).toContain('imported from a log');
    expect(panel.view.getByRole('textbox', { name: 'Message' }).hasAttribute('disabled')).toBe(
      true,
    );
  });

  it('starts an agent again that has ended', () => {
    const run = vi.fn(() => Promise.resolve());
    const panel = open({ status: 'stopped', stored: true }, { life: lifeOf({ run }) });
    expect(panel.element.textContent).toContain(
      'Claude is not running. Your next message starts it again.',
    );
    fireEvent.click(panel.view.getByRole('button', { name: 'Start again' }));
    expect(run).toHaveBeenCalledExactlyOnceWith({ name: 'resume_session', session_id: SESSION });
    expect(panel.view.getByRole('textbox', { name: 'Message' }).hasAttribute('disabled')).toBe(
      false,
    );
  });

  it('leaves the start of an agent in a kernel to its cell', () => {
    const stopped = { status: 'stopped', stored: true } as const;
    const panel = open({ ...stopped, agent: 'cell:claude' }, { life: lifeOf() });
    expect(panel.element.textContent).toContain(
      'Claude is not running. Once its cell has run, your next message starts it again.',
    );
    expect(panel.view.queryByRole('button', { name: 'Start again' })).toBeNull();
  });

  it('does not say it again below the turn in which the agent ended', () => {
    const run = vi.fn(() => Promise.resolve());
    const failure = {
      message: 'Claude stopped during the turn.',
      detail: '',
      reason: 'agent_died',
    };
    const store = new SessionStore(SESSION);
    const error: Item = { id: 'x', turn_id: TURN, kind: 'error', code: '', ...failure };
    const died = turn({ status: 'done', stop_reason: 'error', failure });
    store.apply([snapshot([error], [died], { ...IDLE, status: 'stopped', stored: true })]);
    const panel = showPanel({ store }, { life: lifeOf({ run }) });
    expect(panel.element.textContent).toContain(failure.message);
    expect(panel.element.textContent).not.toContain('is not running');
    fireEvent.click(panel.view.getByRole('button', { name: 'Start again' }));
    expect(run).toHaveBeenCalledExactlyOnceWith({ name: 'resume_session', session_id: SESSION });
  });

  it("says when the prompts of the notebook's cells go to another session", () => {
    const openSession = vi.fn();
    const store = new SessionStore(SESSION);
    store.apply([snapshot([], [], { ...IDLE, notebook_path: 'a/nb.ipynb' })]);
    const own = { notebook_path: 'a/nb.ipynb', agent_id: IDLE.agent };
    const sessions = [summary(SESSION, own), summary('two', { ...own, serves_cells: true })];
    const panel = showPanel({ store, sessions }, { openSession });
    expect(panel.element.textContent).toContain(
      'New prompts in cells of nb.ipynb go to another Claude session: “Title two”.',
    );
    fireEvent.click(panel.view.getByRole('button', { name: 'Open it' }));
    expect(openSession).toHaveBeenCalledExactlyOnceWith('two');
  });

  it('says how long an agent has been silent, and stops waiting', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const cancel = vi.fn(() => Promise.resolve());
    const panel = open(
      { status: 'running', active_turn_id: 't1', silent_since: Date.now() / 1000 - 75.5 },
      { cancel },
    );
    const note = panel.view.getByRole('group', { name: 'Still waiting' });
    expect(within(note).getByRole('timer').textContent).toBe(
      'Still waiting for Claude. Nothing came for 75 s.',
    );
    fireEvent.click(within(note).getByRole('button', { name: 'Stop waiting' }));
    expect(cancel).toHaveBeenCalledExactlyOnceWith(SESSION, 't1');
  });

  it('says why the next message waits', () => {
    const held = 'Claude was asked to stop, and has not answered yet.';
    const panel = open({ status: 'idle', held });
    expect(panel.view.getByText(held).closest('[role=status]')).not.toBeNull();
  });
});
