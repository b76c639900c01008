import { fireEvent, within } from '@testing-library/preact';
import { describe, expect, it, vi } from 'vitest';

import {
  agentEntry,
  command,
  message,
  permission,
  prompt,
  session,
  SESSION,
} from '../../../tests/support/build';
import { added, appended } from '../../../tests/support/events';
import { sessionOf } from '../../../tests/support/golden';
import {
  element,
  IDLE,
  showPanel,
  storeOf,
  until,
  view,
  write,
} from '../../../tests/support/panel';
import type { AgentEntry, ConfigOption } from '../../wire/types';

const AGENTS: AgentEntry[] = [
  agentEntry({ id: 'claude', name: 'Claude' }),
  agentEntry({ id: 'demo', name: 'Demo' }),
  agentEntry({
    id: 'gemini',
    name: 'Gemini',
    status: 'broken',
    detail: 'Exit code 1: Node 20 is required.',
  }),
];

describe('the panel without a session', () => {
  it('says that it connects, then which agents there are', async () => {
    const { props, mounted } = showPanel({
      sessions: null,
      agents: null,
      connection: { state: 'connecting' },
    });
    expect(view().getByRole('status').textContent).toBe('Connecting to the server');
    mounted.update({ ...props, sessions: [], agents: AGENTS, connection: { state: 'open' } });
    await until(() => expect(view().getByRole('list', { name: 'Agents' })).toBeTruthy());
    expect(element().textContent).toContain('Exit code 1: Node 20 is required.');
    expect(view().queryByRole('button', { name: 'Start Gemini' })).toBeNull();
  });

  it('makes a session for the first message, with the chosen agent', async () => {
    const send = vi.fn(() => Promise.resolve());
    const createSession = vi.fn(() => Promise.resolve('new'));
    const openSession = vi.fn();
    showPanel(
      { startsWith: { agent: 'demo', policy: 'read-only', sandbox: null } },
      { send, createSession, openSession, setConfig: () => Promise.resolve() },
    );
    expect(view().getByRole('combobox', { name: 'Policy' }).textContent).toBe('Read only');
    expect(view().getByRole('combobox', { name: 'Agent' }).textContent).toBe('Demo');
    fireEvent.click(view().getByRole('combobox', { name: 'Policy' }));
    fireEvent.click(view().getByRole('option', { name: /^Accept edits/ }));
    fireEvent.click(view().getByRole('combobox', { name: 'Agent' }));
    fireEvent.click(view().getByRole('option', { name: 'Demo' }));
    await until(() =>
      expect(view().getByRole('combobox', { name: 'Agent' }).textContent).toBe('Demo'),
    );
    write('Hello');
    await until(() =>
      expect(view().getByRole('button', { name: 'Send' }).hasAttribute('disabled')).toBe(false),
    );
    fireEvent.click(view().getByRole('button', { name: 'Send' }));
    await until(() => expect(send).toHaveBeenCalledExactlyOnceWith('new', 'Hello', [], []));
    expect(createSession).toHaveBeenCalledExactlyOnceWith('demo', 'accept-edits', null, null);
    expect(openSession).toHaveBeenCalledWith('new');
  });

  it('keeps the message and says why when it could not be sent', async () => {
    const createSession = vi.fn(() => Promise.reject(new Error('Claude could not start.')));
    showPanel({}, { createSession });
    const box = write('Hello');
    fireEvent.keyDown(box, { key: 'Enter' });
    await until(() => expect(element().textContent).toContain('Claude could not start.'));
    expect(view().getByRole('textbox', { name: 'Message' })).toHaveProperty('value', 'Hello');
  });
});

describe('an open session', () => {
  it('tells model and tools where the agent does', async () => {
    const state = session({ model: 'opus', tools: ['Bash', 'Read'] });
    showPanel({ store: storeOf([], state) });
    const details = view().getByRole('group', { name: 'Session details' });
    const line = within(details).getByRole('button', { name: 'Model opus · 2 tools' });
    expect(within(details).queryByRole('list')).toBeNull();
    fireEvent.click(line);
    await until(() => {
      const tools = within(within(details).getByRole('list', { name: 'Tools' }));
      expect(tools.getAllByRole('listitem').map(each => each.textContent)).toEqual([
        'Bash',
        'Read',
      ]);
    });
  });

  it('has no details where the agent tells none', () => {
    showPanel({ store: storeOf([]) });
    expect(view().queryByRole('group', { name: 'Session details' })).toBeNull();
  });

  it('is one log, with its prompt, its status, Send and Stop', async () => {
    const cancel = vi.fn(() => Promise.resolve());
    showPanel(
      {
        store: storeOf([prompt('u', 'Make it fast'), message('m', 'Working', true)]),
      },
      { cancel },
    );
    const log = view().getByRole('log', { name: 'Make clean.py twice as fast' });
    expect(log.textContent).toContain('Make it fast');
    expect(view().getAllByRole('log')).toHaveLength(1);
    await until(() => expect(view().getByRole('status').textContent).toBe('Writing'));
    expect(view().getByRole('textbox', { name: 'Message' }).getAttribute('placeholder')).toBe(
      'Queue the next message',
    );
    fireEvent.click(view().getByRole('button', { name: 'Stop' }));
    expect(cancel).toHaveBeenCalledWith(SESSION, null);
  });

  it('never moves the focus from the message box', async () => {
    const store = storeOf([prompt('u', 'Go')]);
    showPanel({ store });
    const box = view().getByRole('textbox', { name: 'Message' });
    box.focus();
    store.apply([
      added(message('m', '', true), 1, 11),
      appended('m', 0, 'text', 12),
      added(command('c', { status: 'pending', permission: permission() }), 2, 13),
    ]);
    await until(() =>
      expect(view().getByRole('group', { name: 'Permission request' })).toBeTruthy(),
    );
    expect(document.activeElement).toBe(box);
  });

  it('offers mode and model only if the agent does', async () => {
    const setConfig = vi.fn(() => Promise.resolve());
    const model: ConfigOption = {
      id: 'llm',
      name: 'Model',
      description: '',
      category: 'model',
      type: 'select',
      current_value: 'a',
      choices: [
        { value: 'a', name: 'Small', description: '', group: '' },
        { value: 'b', name: 'Large', description: '', group: '' },
      ],
    };
    showPanel({ store: storeOf([], IDLE) }, { setConfig });
    expect(view().queryByRole('combobox', { name: 'Mode' })).toBeNull();
    expect(view().queryByRole('combobox', { name: 'Model' })).toBeNull();
    const modes = [
      { id: 'ask', name: 'Ask', description: '' },
      { id: 'plan', name: 'Plan', description: '' },
    ];
    showPanel(
      {
        store: storeOf([], { ...IDLE, modes, current_mode_id: 'ask', config_options: [model] }),
      },
      { setConfig },
    );
    const mode = view().getByRole('combobox', { name: 'Mode' });
    fireEvent.keyDown(mode, { key: 'ArrowDown' });
    await until(() => expect(view().getAllByRole('option')).toHaveLength(2));
    fireEvent.keyDown(mode, { key: 'End' });
    await until(() =>
      expect(view().getByRole('option', { selected: true }).textContent).toBe('Plan'),
    );
    fireEvent.keyDown(mode, { key: 'Enter' });
    expect(setConfig).toHaveBeenCalledWith(SESSION, { mode: 'plan' });
    fireEvent.click(view().getByRole('combobox', { name: 'Model' }));
    fireEvent.click(view().getByRole('option', { name: 'Large' }));
    expect(setConfig).toHaveBeenCalledWith(SESSION, { config: { llm: 'b' } });
  });

  it('names the mode that the agent has changed to', () => {
    const { modes, current_mode_id } = sessionOf('turns/mode_line');
    showPanel({ store: storeOf([], { ...IDLE, modes, current_mode_id }) });
    expect(view().getByRole('combobox', { name: 'Mode' }).textContent).toContain('implement');
  });

  it('shows how many questions wait and goes there on a click', async () => {
    const asking = command('c', { status: 'pending', permission: permission() });
    showPanel({ store: storeOf([prompt('u', 'Go'), asking], session({ waiting: 1 })) });
    const card = view().getByRole('group', { name: 'Permission request' });
    const scrollIntoView = vi.fn();
    card.scrollIntoView = scrollIntoView;
    fireEvent.click(view().getByRole('button', { name: '1 waiting' }));
    expect(scrollIntoView).toHaveBeenCalled();
    await until(() => expect(document.activeElement).toBe(card));
    fireEvent.keyDown(card, { key: 'Escape' });
    expect(document.activeElement).toBe(view().getByRole('textbox', { name: 'Message' }));
  });

  it('says that the connection is lost and when it tries again', () => {
    const reconnect = vi.fn();
    showPanel(
      {
        store: storeOf([prompt('u', 'Go')]),
        connection: { state: 'lost', retryAt: Date.now() + 4000, failure: null },
      },
      { reconnect },
    );
    expect(element().textContent).toMatch(/Connection lost\. Trying again in \d s\./);
    fireEvent.click(view().getByRole('button', { name: 'Try now' }));
    expect(reconnect).toHaveBeenCalledTimes(1);
    write('Hello');
    expect(view().getByRole('button', { name: 'Send' }).getAttribute('aria-disabled')).toBe('true');
  });

  it('says why it is not connected, and does not promise to try again where it will not', () => {
    const failure = { message: 'The server has another version.' };
    showPanel({ connection: { state: 'lost', retryAt: null, failure } }, { reconnect: vi.fn() });
    const words = view().getByRole('status').textContent.trim();
    expect(words).toBe('Not connected. The server has another version.');
    expect(view().getByRole('button', { name: 'Try now' })).toBeTruthy();
  });
});
