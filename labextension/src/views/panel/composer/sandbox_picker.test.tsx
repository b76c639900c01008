import { fireEvent, waitFor, within } from '@testing-library/preact';
import { beforeEach, describe, expect, it, vi } from 'vitest';

import { session, SESSION, turn } from '../../../../tests/support/build';
import { snapshot } from '../../../../tests/support/events';
import { IDLE, showPanel, storeOf, view } from '../../../../tests/support/panel';
import { SessionStore } from '../../../state/store';
import type { SessionState } from '../../../wire/types';
import type { Actions } from '../../actions';

const setConfig = vi.fn<NonNullable<Actions['setConfig']>>(() => Promise.resolve());

beforeEach(() => {
  setConfig.mockClear();
});

function show(over: Partial<SessionState> = {}, actions: Partial<Actions> = {}): void {
  showPanel({ store: storeOf([], { ...IDLE, ...over }) }, { setConfig, ...actions });
}

/** A session with one finished turn, so that there is a conversation. */
function showBegun(over: Partial<SessionState>): void {
  const store = new SessionStore(SESSION);
  const state = session({ status: 'idle', active_turn_id: null, ...over });
  store.apply([snapshot([], [turn({ status: 'done' })], state)]);
  showPanel({ store }, { setConfig });
}

const picker = () => view().getByRole('combobox', { name: 'Sandbox' });

/** The choices, by name. */
function open(): Map<string, HTMLElement> {
  fireEvent.click(picker());
  const options = within(view().getByRole('listbox', { name: 'Sandbox' })).getAllByRole('option');
  return new Map(
    options.map(each => [each.querySelector('.grow')?.firstChild?.textContent ?? '', each]),
  );
}

/** The text over the choices, as a screen reader finds it. */
function note(): string {
  const id = picker().getAttribute('aria-describedby') ?? '';
  return document.getElementById(id)?.textContent ?? '';
}

describe('the picker of a sandbox', () => {
  it('says what each is, and changes it', () => {
    show();
    expect(picker().textContent).toBe('Sandbox: Off');
    const choices = open();
    expect([...choices.keys()]).toEqual(['Off', 'Folder', 'Copy', 'Read only']);
    for (const name of ['Off', 'Folder', 'Read only']) {
      expect(choices.get(name)?.textContent).toContain('The agent’s processes can');
    }
    fireEvent.click(choices.get('Folder') ?? document.body);
    expect(setConfig).toHaveBeenCalledExactlyOnceWith(SESSION, { sandbox: 'folder' });
  });

  it('is worked by keys alone', () => {
    show();
    picker().focus();
    for (const key of ['ArrowDown', 'End', 'Enter']) {
      fireEvent.keyDown(picker(), { key });
    }
    expect(setConfig).toHaveBeenCalledExactlyOnceWith(SESSION, { sandbox: 'read-only' });
    expect(document.activeElement).toBe(picker());
  });

  it('lets nobody choose what the administrator has not allowed', () => {
    show({ sandbox: 'folder' }, { sandboxes: ['folder', 'read-only'] });
    const off = open().get('Off') ?? document.body;
    expect(off.textContent).toContain('Your administrator has not allowed this.');
    expect(off.getAttribute('aria-disabled')).toBe('true');
    fireEvent.click(off);
    expect(setConfig).not.toHaveBeenCalled();
  });

  it.each([
    ['read-only', 'Read only'],
    ['deny', 'Deny'],
  ] as const)('shows what the policy %s brings, and says so', (policy, name) => {
    show({ policy, sandbox: 'folder' });
    expect(picker().textContent).toBe('Sandbox: Read only');
    const choices = open();
    expect(note()).toBe(`The policy “${name}” brings the sandbox “Read only”.`);
    for (const value of ['Off', 'Folder']) {
      fireEvent.click(choices.get(value) ?? document.body);
    }
    expect(setConfig).not.toHaveBeenCalled();
  });

  it('says of a policy that an agent stays where it is, too', () => {
    showBegun({ can: [], policy: 'deny' });
    open();
    expect(note()).toContain('Claude keeps its sandbox');
  });

  it.each([
    ['out of a copy', { sandbox: 'folder' }, 'Copy', 'copy'],
    ['in its copy', { sandbox: 'copy', copied_folder: '/work' }, 'Folder', 'folder'],
  ] as const)('leaves a session %s, and starts another one', async (_, over, name, sandbox) => {
    const createSession = vi.fn<NonNullable<Actions['createSession']>>(() =>
      Promise.resolve('other'),
    );
    show({ ...over, agent: 'claude', policy: 'allow-all' }, { createSession });
    const choices = open();
    const starts = [...choices].filter(([, { textContent: words }]) =>
      words.includes('This starts a new session.'),
    );
    expect(starts.map(([each]) => each)).toContain(name);
    expect(starts.map(([each]) => each === 'Copy')).not.toContain(name !== 'Copy');
    expect(note().includes('works in its copy')).toBe('copied_folder' in over);
    fireEvent.click(choices.get(name) ?? document.body);
    await waitFor(() =>
      expect(createSession).toHaveBeenCalledExactlyOnceWith('claude', 'allow-all', sandbox, 'all'),
    );
    expect(setConfig).not.toHaveBeenCalled();
  });

  it.each([
    [
      'continues the conversation',
      { can: ['load'] },
      'Takes effect with your next message. The agent restarts and continues the conversation.',
    ],
    ['does not run', { can: ['load'], stored: true }, 'Takes effect with your next message.'],
    [
      'stays where it is',
      { can: [] },
      'Claude keeps its sandbox, because it can’t resume a conversation in a new process. To change the sandbox, start a new session.',
    ],
  ] as const)('says first of an agent that %s', (_, { can, ...over }, words) => {
    showBegun({ ...over, can: [...can] });
    open();
    expect(note()).toBe(words);
  });

  it('says that another counts from the next message on', () => {
    show({ can: [] });
    open();
    expect(note()).toBe('Takes effect with your next message.');
  });

  it('has the policy say that an agent stays in the sandbox that it has', () => {
    showBegun({ can: [] });
    const policy = view().getByRole('combobox', { name: 'Policy' });
    fireEvent.click(policy);
    const id = policy.getAttribute('aria-describedby') ?? '';
    expect(document.getElementById(id)?.textContent).toContain('Claude keeps its sandbox');
  });

  it('leaves the sandbox of a new session to the server until one is chosen', () => {
    const createSession = vi.fn(() => Promise.resolve('new'));
    showPanel({}, { setConfig, createSession });
    expect(picker().textContent).toBe('Sandbox: Default');
    fireEvent.click(open().get('Folder') ?? document.body);
    expect(picker().textContent).toBe('Sandbox: Folder');
    fireEvent.input(view().getByRole('textbox', { name: 'Message' }), { target: { value: 'Hi' } });
    fireEvent.click(view().getByRole('button', { name: 'Send' }));
    expect(createSession).toHaveBeenCalledExactlyOnceWith('claude', 'ask', 'folder', null);
    expect(setConfig).not.toHaveBeenCalled();
  });

  it('begins with what the settings say', () => {
    const createSession = () => Promise.resolve('new');
    const startsWith = { agent: '', policy: 'ask', sandbox: 'read-only' } as const;
    showPanel({ startsWith }, { setConfig, createSession });
    expect(picker().textContent).toBe('Sandbox: Read only');
    fireEvent.click(open().get('Default') ?? document.body);
    expect(picker().textContent).toBe('Sandbox: Default');
  });
});
