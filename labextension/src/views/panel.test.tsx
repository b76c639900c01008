import { fireEvent, waitFor, within } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import {
  added,
  agentEntry,
  appended,
  command,
  message,
  permission,
  prompt,
  session,
  SESSION,
  snapshot,
  turn,
} from '../../tests/support/build';
import { SessionStore } from '../state/store';
import type { AgentEntry, ConfigOption, Item, SessionState } from '../wire/types';
import type { Actions } from './actions';
import { mountPanel } from './mount';
import type { Mounted, PanelProps } from './props';

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
const IDLE = session({ status: 'idle', active_turn_id: null });

let element: HTMLElement;
let mounted: Mounted<PanelProps> | null = null;

beforeEach(() => {
  element = document.createElement('div');
  document.body.append(element);
});

afterEach(() => {
  mounted?.dispose();
  mounted = null;
  document.body.replaceChildren();
});

const view = () => within(element);
const until = (check: () => void) => waitFor(check, { container: element });

function actionsOf(over: Partial<Actions> = {}): Actions {
  return {
    answerPermission: () => Promise.resolve(),
    cancel: () => Promise.resolve(),
    send: () => Promise.resolve(),
    createSession: () => Promise.resolve('new'),
    openSession: () => undefined,
    ...over,
  };
}

function storeOf(items: readonly Item[], state: SessionState = session()): SessionStore {
  const store = new SessionStore(SESSION);
  const status = state.active_turn_id === null ? 'done' : 'running';
  store.apply([snapshot(items, items.length === 0 ? [] : [turn({ status })], state)]);
  return store;
}

function show(over: Partial<PanelProps> = {}): PanelProps {
  const props: PanelProps = {
    store: null,
    sessions: [],
    agents: AGENTS,
    connection: { state: 'open' },
    failure: null,
    actions: actionsOf(),
    ...over,
  };
  mounted = mountPanel(element, props);
  return props;
}

function write(text: string): HTMLElement {
  const box = view().getByRole('textbox', { name: 'Message' });
  fireEvent.input(box, { target: { value: text } });
  return box;
}

describe('the panel without a session', () => {
  it('says that it connects, then which agents there are', async () => {
    const props = show({ sessions: null, agents: null, connection: { state: 'connecting' } });
    expect(view().getByRole('status').textContent).toBe('Connecting to the server');
    mounted?.update({ ...props, sessions: [], agents: AGENTS, connection: { state: 'open' } });
    await until(() => expect(view().getByRole('list', { name: 'Agents' })).toBeTruthy());
    expect(element.textContent).toContain('Exit code 1: Node 20 is required.');
    expect(view().queryByRole('button', { name: 'Start Gemini' })).toBeNull();
  });

  it('makes a session for the first message, with the chosen agent', async () => {
    const send = vi.fn(() => Promise.resolve());
    const createSession = vi.fn(() => Promise.resolve('new'));
    const openSession = vi.fn();
    show({ actions: actionsOf({ send, createSession, openSession }) });
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
    await until(() => expect(send).toHaveBeenCalledExactlyOnceWith('new', 'Hello', []));
    expect(createSession).toHaveBeenCalledExactlyOnceWith('demo');
    expect(openSession).toHaveBeenCalledWith('new');
  });

  it('keeps the message and says why when it could not be sent', async () => {
    const createSession = vi.fn(() => Promise.reject(new Error('Claude could not start.')));
    show({ actions: actionsOf({ createSession }) });
    const box = write('Hello');
    fireEvent.keyDown(box, { key: 'Enter' });
    await until(() => expect(element.textContent).toContain('Claude could not start.'));
    expect(view().getByRole('textbox', { name: 'Message' })).toHaveProperty('value', 'Hello');
  });
});

describe('an open session', () => {
  it('S4.21: tells model and tools where the agent does', async () => {
    const state = session({ model: 'opus', tools: ['Bash', 'Read'] });
    show({ store: storeOf([], state) });
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
    show({ store: storeOf([]) });
    expect(view().queryByRole('group', { name: 'Session details' })).toBeNull();
  });

  it('is one log, with its prompt, its status, Send and Stop', async () => {
    const cancel = vi.fn(() => Promise.resolve());
    show({
      store: storeOf([prompt('u', 'Make it fast'), message('m', 'Working', true)]),
      actions: actionsOf({ cancel }),
    });
    const log = view().getByRole('log', { name: 'Make clean.py twice as fast' });
    expect(log.textContent).toContain('Make it fast');
    expect(view().getAllByRole('log')).toHaveLength(1);
    await until(() => expect(view().getByRole('status').textContent).toBe('Writing'));
    expect(view().getByRole('textbox', { name: 'Message' }).getAttribute('placeholder')).toBe(
      'Sent after this turn',
    );
    fireEvent.click(view().getByRole('button', { name: 'Stop' }));
    expect(cancel).toHaveBeenCalledWith(SESSION, null);
  });

  it('sends with Enter, not with Shift, not while composing, not nothing', async () => {
    const send = vi.fn(() => Promise.resolve());
    show({ store: storeOf([], IDLE), actions: actionsOf({ send }) });
    const box = write('Hello');
    fireEvent.keyDown(box, { key: 'Enter', shiftKey: true });
    fireEvent.keyDown(box, { key: 'Enter', isComposing: true });
    expect(send).not.toHaveBeenCalled();
    await until(() => expect(box).toHaveProperty('value', 'Hello'));
    fireEvent.keyDown(box, { key: 'Enter' });
    await until(() => expect(send).toHaveBeenCalledExactlyOnceWith(SESSION, 'Hello', []));
    await until(() => expect(box).toHaveProperty('value', ''));
    fireEvent.keyDown(box, { key: 'Enter' });
    expect(send).toHaveBeenCalledTimes(1);
  });

  it('stops with Escape twice and brings back what was written', async () => {
    const cancel = vi.fn(() => Promise.resolve());
    show({ store: storeOf([prompt('u', 'Make it fast')]), actions: actionsOf({ cancel }) });
    const box = view().getByRole('textbox', { name: 'Message' });
    fireEvent.keyDown(box, { key: 'Escape' });
    expect(cancel).not.toHaveBeenCalled();
    fireEvent.keyDown(box, { key: 'Escape' });
    expect(cancel).toHaveBeenCalledTimes(1);
    fireEvent.keyDown(box, { key: 'ArrowUp' });
    await until(() => expect(box).toHaveProperty('value', 'Make it fast'));
  });

  it('never moves the focus from the message box', async () => {
    const store = storeOf([prompt('u', 'Go')]);
    show({ store });
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
    show({ store: storeOf([], IDLE), actions: actionsOf({ setConfig }) });
    expect(view().queryByRole('combobox', { name: 'Mode' })).toBeNull();
    expect(view().queryByRole('combobox', { name: 'Model' })).toBeNull();
    mounted?.dispose();
    const modes = [
      { id: 'ask', name: 'Ask', description: '' },
      { id: 'plan', name: 'Plan', description: '' },
    ];
    show({
      store: storeOf([], { ...IDLE, modes, current_mode_id: 'ask', config_options: [model] }),
      actions: actionsOf({ setConfig }),
    });
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

  it('shows how many questions wait and goes there on a click', async () => {
    const asking = command('c', { status: 'pending', permission: permission() });
    show({ store: storeOf([prompt('u', 'Go'), asking], session({ waiting: 1 })) });
    const card = view().getByRole('group', { name: 'Permission request' });
    const scrollIntoView = vi.fn();
    card.scrollIntoView = scrollIntoView;
    fireEvent.click(view().getByRole('button', { name: '1 waiting' }));
    expect(scrollIntoView).toHaveBeenCalled();
    await until(() => expect(document.activeElement).toBe(card));
    fireEvent.keyDown(card, { key: 'Escape' });
    expect(document.activeElement).toBe(view().getByRole('textbox', { name: 'Message' }));
  });

  it('lists what waits, to be removed, edited in its place, or sent now', () => {
    const removeQueued = vi.fn(() => Promise.resolve());
    const editQueued = vi.fn(() => Promise.resolve());
    const sendNow = vi.fn(() => Promise.resolve());
    show({
      store: storeOf([prompt('u', 'Go')], session({ queue: [{ turn_id: 'q', text: 'And then' }] })),
      actions: actionsOf({ removeQueued, editQueued, sendNow }),
    });
    const queue = within(view().getByRole('list', { name: 'Queue' }));
    fireEvent.click(queue.getByRole('button', { name: 'Stop and send now' }));
    expect(sendNow).toHaveBeenCalledWith('q');
    fireEvent.click(queue.getByRole('button', { name: 'Edit queued message' }));
    const box = queue.getByRole('textbox', { name: 'Queued message' });
    fireEvent.input(box, { target: { value: 'And now' } });
    fireEvent.keyDown(box, { key: 'Enter' });
    expect(editQueued).toHaveBeenCalledWith('q', 'And now');
    fireEvent.click(queue.getByRole('button', { name: 'Remove queued message' }));
    expect(removeQueued).toHaveBeenCalledWith(SESSION, 'q');
  });

  it('leaves a queued message as it was on Escape', () => {
    const editQueued = vi.fn(() => Promise.resolve());
    const cancel = vi.fn(() => Promise.resolve());
    show({
      store: storeOf([prompt('u', 'Go')], session({ queue: [{ turn_id: 'q', text: 'And then' }] })),
      actions: actionsOf({ editQueued, cancel }),
    });
    const queue = within(view().getByRole('list', { name: 'Queue' }));
    fireEvent.click(queue.getByRole('button', { name: 'Edit queued message' }));
    const box = queue.getByRole('textbox', { name: 'Queued message' });
    fireEvent.input(box, { target: { value: 'lost' } });
    fireEvent.keyDown(box, { key: 'Escape' });
    expect(view().getByRole('list', { name: 'Queue' }).textContent).toBe('And then');
    expect(editQueued).not.toHaveBeenCalled();
  });

  it('completes the commands of the agent by the keyboard', async () => {
    const commands = ['plan', 'review', 'preview'].map(name => ({
      name,
      description: `Does ${name}`,
      hint: '',
    }));
    const send = vi.fn(() => Promise.resolve());
    show({ store: storeOf([], { ...IDLE, commands }), actions: actionsOf({ send }) });
    const names = () =>
      view()
        .queryAllByRole('option')
        .map(option => option.textContent);
    write('/');
    expect(names()).toHaveLength(3);
    const box = write('/re');
    expect(names()).toEqual(['/reviewDoes review', '/previewDoes preview']);
    fireEvent.keyDown(box, { key: 'ArrowDown' });
    const active = view().getByRole('option', { name: /preview/ });
    expect(active.getAttribute('aria-selected')).toBe('true');
    expect(box.getAttribute('aria-activedescendant')).toBe(active.id);
    fireEvent.keyDown(box, { key: 'Enter' });
    expect(box).toHaveProperty('value', '/preview ');
    expect(send).not.toHaveBeenCalled();
    expect(view().queryByRole('listbox', { name: 'Commands' })).toBeNull();
    write('/p');
    fireEvent.keyDown(box, { key: 'Escape' });
    expect(view().queryByRole('listbox', { name: 'Commands' })).toBeNull();
    write('see /p');
    expect(names()).toEqual([]);
    write('/nothing');
    expect(names()).toEqual([]);
    fireEvent.keyDown(box, { key: 'Enter' });
    await until(() => expect(send).toHaveBeenCalledWith(SESSION, '/nothing', []));
  });

  it('says that the connection is lost and when it tries again', () => {
    const reconnect = vi.fn();
    show({
      store: storeOf([prompt('u', 'Go')]),
      connection: { state: 'lost', retryAt: Date.now() + 4000 },
      actions: actionsOf({ reconnect }),
    });
    expect(element.textContent).toMatch(/Connection lost\. Trying again in \d s\./);
    fireEvent.click(view().getByRole('button', { name: 'Try now' }));
    expect(reconnect).toHaveBeenCalledTimes(1);
    write('Hello');
    expect(view().getByRole('button', { name: 'Send' }).hasAttribute('disabled')).toBe(true);
  });
});
