import { fireEvent, waitFor, within } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { agentEntry, session, SESSION, snapshot } from '../../../tests/support/build';
import { SessionStore } from '../../state/store';
import type { AgentSession, AgentSessions, SessionState, SessionSummary } from '../../wire/types';
import type { Actions, SessionLife } from '../actions';
import { mountPanel } from '../mount';
import type { Mounted, PanelProps } from '../props';

const IDLE = session({ status: 'idle', active_turn_id: null });

let element: HTMLElement;
let mounted: Mounted<PanelProps> | null = null;
let shown: PanelProps;

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
const titles = () =>
  [...element.querySelectorAll('.acp-sessions li[data-session] .t')].map(each => each.textContent);

function summary(id: string, over: Partial<SessionSummary> = {}): SessionSummary {
  return {
    session_id: id,
    title: `Title ${id}`,
    agent_id: 'claude',
    agent_name: 'Claude',
    status: 'idle',
    notebook_path: '',
    waiting: 0,
    stored: false,
    read_only: '',
    can: [],
    updated_at: Date.now() / 1000 - 10,
    ...over,
  };
}

function lifeOf(over: Partial<SessionLife> = {}): SessionLife {
  return {
    resume: () => Promise.resolve(),
    fork: () => Promise.resolve('forked'),
    remove: () => Promise.resolve(),
    listOfAgent: () => Promise.resolve({ sessions: [], next_cursor: '' }),
    openOfAgent: () => Promise.resolve('opened'),
    ...over,
  };
}

function show(over: Partial<PanelProps> = {}, actions: Partial<Actions> = {}): void {
  shown = {
    store: null,
    sessions: [],
    agents: [
      agentEntry({ id: 'claude', name: 'Claude' }),
      agentEntry({ id: 'demo', name: 'Demo' }),
      agentEntry({ id: 'gemini', name: 'Gemini', status: 'broken' }),
      agentEntry({ id: 'goose', name: 'Goose', listed: true }),
    ],
    connection: { state: 'open' },
    failure: null,
    actions: {
      answerPermission: () => Promise.resolve(),
      cancel: () => Promise.resolve(),
      send: () => Promise.resolve(),
      openSession: () => undefined,
      closeSession: () => Promise.resolve(),
      setConfig: () => Promise.resolve(),
      exportSession: () => Promise.resolve(),
      life: lifeOf(),
      ...actions,
    },
    ...over,
  };
  mounted = mountPanel(element, shown);
}

async function list(sessions: SessionSummary[], actions: Partial<Actions> = {}): Promise<void> {
  show({ sessions }, actions);
  fireEvent.click(view().getByRole('button', { name: 'Sessions' }));
  await until(() => expect(view().getByRole('heading', { name: 'Sessions' })).toBeTruthy());
}

async function menuOf(name: string): Promise<HTMLElement> {
  fireEvent.click(view().getByRole('button', { name: `More for ${name}` }));
  await until(() => expect(view().getByRole('menu')).toBeTruthy());
  return view().getByRole('menu');
}

const offered = () =>
  view()
    .getAllByRole('menuitem')
    .map(each => each.textContent);

describe('the session list', () => {
  it('shows what needs the user first, finds and opens', async () => {
    const openSession = vi.fn();
    await list(
      [
        summary('idle'),
        summary('running', { status: 'running' }),
        summary('waiting', { status: 'requires_action', waiting: 1 }),
        summary('old', { updated_at: Date.now() / 1000 - 200_000, stored: true }),
      ],
      { openSession },
    );
    expect(titles()).toEqual(['Title waiting', 'Title running', 'Title idle', 'Title old']);
    const earlier = view().getByRole('list', { name: 'Earlier' });
    expect(earlier.textContent).toContain('Ended · Claude · 2 d');
    fireEvent.input(view().getByRole('searchbox'), { target: { value: 'run' } });
    await until(() => expect(titles()).toEqual(['Title running']));
    fireEvent.click(view().getByRole('button', { name: /^Title running/ }));
    expect(openSession).toHaveBeenCalledWith('running');
    await until(() => expect(view().getByRole('textbox', { name: 'Message' })).toBeTruthy());
  });

  it('mounts a part of very many', async () => {
    await list(Array.from({ length: 1000 }, (_, index) => summary(`s${index}`)));
    expect(titles()).toHaveLength(100);
    fireEvent.click(view().getByRole('button', { name: 'Show more (900)' }));
    await until(() => expect(titles()).toHaveLength(200));
  });

  it('S2.9: offers only what can be done', async () => {
    await list([
      summary('live', { can: ['fork', 'list'] }),
      summary('kept', { stored: true }),
      summary('locked', { read_only: 'This session is open in another server.', can: ['fork'] }),
      summary('log', { agent_id: 'imported', agent_name: 'Log', status: 'stopped' }),
    ]);
    const exports = ['Export as Markdown', 'Export as HTML', 'Export the traffic'];
    const wanted = {
      live: ['Rename', 'Fork', ...exports, 'Close', 'Delete…'],
      kept: ['Resume', 'Rename', ...exports, 'Delete…'],
      locked: exports,
      log: ['Rename', ...exports, 'Delete…'],
    };
    for (const [id, items] of Object.entries(wanted)) {
      await menuOf(`Title ${id}`);
      expect(offered(), id).toEqual(items);
      fireEvent.keyDown(document.activeElement ?? element, { key: 'Escape' });
      await until(() => expect(view().queryByRole('menu')).toBeNull());
    }
    expect(element.querySelector('[data-session=locked]')?.textContent).toContain('Read only');
    expect(element.querySelector('[data-session=log]')?.textContent).toContain('Imported');
  });

  it('has menus that keys move in', async () => {
    const closeSession = vi.fn(() => Promise.resolve());
    await list([summary('one')], { closeSession });
    const menu = await menuOf('Title one');
    await until(() => expect(document.activeElement?.textContent).toBe('Rename'));
    const press = (key: string) => fireEvent.keyDown(document.activeElement ?? element, { key });
    press('ArrowUp');
    expect(document.activeElement?.textContent).toBe('Delete…');
    press('ArrowUp');
    expect(document.activeElement?.textContent).toBe('Close');
    fireEvent.click(within(menu).getByRole('menuitem', { name: 'Close' }));
    expect(closeSession).toHaveBeenCalledWith('one');
    expect(document.activeElement).toBe(view().getByRole('button', { name: 'More for Title one' }));
  });

  it('renames in place', async () => {
    const setConfig = vi.fn(() => Promise.resolve());
    await list([summary('one')], { setConfig });
    fireEvent.click(within(await menuOf('Title one')).getByRole('menuitem', { name: 'Rename' }));
    const box = await waitFor(() => view().getByRole('textbox', { name: 'Title' }));
    expect(box).toHaveProperty('value', 'Title one');
    fireEvent.input(box, { target: { value: ' Better ' } });
    fireEvent.click(view().getByRole('button', { name: 'Rename' }));
    expect(setConfig).toHaveBeenCalledExactlyOnceWith('one', { title: 'Better' });
    await until(() => expect(view().queryByRole('textbox', { name: 'Title' })).toBeNull());
  });

  it('deletes after a question, and says why it could not', async () => {
    const remove = vi.fn(() => Promise.reject(new Error('It is in use.')));
    await list([summary('one')], { life: lifeOf({ remove }) });
    const ask = async () => {
      fireEvent.click(within(await menuOf('Title one')).getByRole('menuitem', { name: 'Delete…' }));
      return waitFor(() => view().getByRole('group', { name: 'Delete Title one' }));
    };
    let question = await ask();
    await until(() => expect(document.activeElement).toBe(question));
    fireEvent.keyDown(question, { key: 'Escape' });
    await until(() => expect(view().queryByRole('group')).toBeNull());
    expect(remove).not.toHaveBeenCalled();
    question = await ask();
    fireEvent.click(within(question).getByRole('button', { name: 'Delete' }));
    expect(remove).toHaveBeenCalledExactlyOnceWith('one');
    await until(() => expect(element.textContent).toContain('It is in use.'));
  });

  it('resumes and forks into what it opens', async () => {
    const openSession = vi.fn();
    const resume = vi.fn(() => Promise.resolve());
    await list([summary('one', { stored: true, can: ['fork'] })], {
      openSession,
      life: lifeOf({ resume }),
    });
    fireEvent.click(within(await menuOf('Title one')).getByRole('menuitem', { name: 'Fork' }));
    await until(() => expect(openSession).toHaveBeenCalledWith('forked'));
    fireEvent.click(view().getByRole('button', { name: 'Sessions' }));
    await until(() => expect(view().getByRole('heading', { name: 'Sessions' })).toBeTruthy());
    fireEvent.click(within(await menuOf('Title one')).getByRole('menuitem', { name: 'Resume' }));
    await until(() => expect(resume).toHaveBeenCalledWith('one'));
    expect(openSession).toHaveBeenCalledWith('one');
  });

  it('exports in the chosen form', async () => {
    const exportSession = vi.fn(() => Promise.resolve());
    await list([summary('one')], { exportSession });
    fireEvent.click(
      within(await menuOf('Title one')).getByRole('menuitem', { name: 'Export as HTML' }),
    );
    expect(exportSession).toHaveBeenCalledExactlyOnceWith('one', 'html');
  });
});

describe('sessions that only an agent knows', () => {
  const theirs = (id: string, over: Partial<AgentSession> = {}): AgentSession => ({
    agent_session_id: id,
    cwd: '/home/user/work',
    title: `Talk ${id}`,
    updated_at: '',
    session_id: '',
    ...over,
  });

  it('are listed page by page on demand, without those that are known', async () => {
    const pages: Record<string, AgentSessions> = {
      '': { sessions: [theirs('a'), theirs('b', { session_id: 'ours' })], next_cursor: '2' },
      '2': { sessions: [theirs('c', { title: '' })], next_cursor: '2' },
    };
    const listOfAgent = vi.fn((_: string, cursor: string) =>
      Promise.resolve(pages[cursor] ?? { sessions: [], next_cursor: '' }),
    );
    const openOfAgent = vi.fn(() => Promise.resolve('opened'));
    const openSession = vi.fn();
    await list([summary('one', { can: ['list'] }), summary('two', { agent_id: 'x' })], {
      openSession,
      life: lifeOf({ listOfAgent, openOfAgent }),
    });
    const part = within(view().getByRole('region', { name: 'Other sessions of Claude' }));
    expect(listOfAgent).not.toHaveBeenCalled();
    fireEvent.click(part.getByRole('button', { name: 'Show them' }));
    await until(() => expect(part.getAllByRole('listitem')).toHaveLength(1));
    fireEvent.click(part.getByRole('button', { name: 'Show more' }));
    await until(() => expect(part.getAllByRole('listitem')).toHaveLength(2));
    expect(part.queryByRole('button', { name: 'Show more' })).toBeNull();
    expect(part.getAllByRole('listitem')[1]?.textContent).toContain('c');
    fireEvent.click(part.getByRole('button', { name: 'Open Talk a' }));
    await until(() => expect(openSession).toHaveBeenCalledWith('opened'));
    expect(openOfAgent).toHaveBeenCalledExactlyOnceWith('claude', theirs('a'), false);
  });

  it('ask for trust in their folder before they are opened', async () => {
    const untrusted = Object.assign(new Error('The folder is not trusted.'), {
      reason: 'folder_not_trusted',
    });
    const openOfAgent = vi
      .fn<SessionLife['openOfAgent']>()
      .mockRejectedValueOnce(untrusted)
      .mockResolvedValueOnce('opened');
    await list([summary('one', { can: ['list'] })], {
      life: lifeOf({
        openOfAgent,
        listOfAgent: () => Promise.resolve({ sessions: [theirs('a')], next_cursor: '' }),
      }),
    });
    fireEvent.click(view().getByRole('button', { name: 'Show them' }));
    const button = await waitFor(() => view().getByRole('button', { name: 'Open Talk a' }));
    fireEvent.click(button);
    await until(() => expect(button.textContent).toBe('Trust the folder and open'));
    expect(element.textContent).toContain('The folder is not trusted.');
    fireEvent.click(button);
    await until(() => expect(openOfAgent).toHaveBeenCalledTimes(2));
    expect(openOfAgent.mock.calls.map(call => call[2])).toEqual([false, true]);
  });
});

describe('a new session', () => {
  it('begins with the choice of its agent', async () => {
    const createSession = vi.fn(() => Promise.resolve('new'));
    show({}, { createSession });
    fireEvent.click(view().getByRole('button', { name: 'New session' }));
    await until(() => expect(view().getByRole('menu', { name: 'New session' })).toBeTruthy());
    expect(createSession).not.toHaveBeenCalled();
    const items = view().getAllByRole('menuitem');
    expect(items.map(each => each.textContent)).toEqual([
      'Claude',
      'Demo',
      'Geministopped at start',
    ]);
    expect(items[2]?.hasAttribute('disabled')).toBe(true);
    fireEvent.click(view().getByRole('menuitem', { name: 'Demo' }));
    expect(createSession).toHaveBeenCalledExactlyOnceWith('demo');
  });
});

describe('a session that is being made', () => {
  it('gets what is written meanwhile, whatever was open before', async () => {
    let made: (id: string) => void = () => undefined;
    const createSession = vi.fn(() => new Promise<string>(resolve => (made = resolve)));
    const send = vi.fn(() => Promise.resolve());
    const store = new SessionStore(SESSION);
    store.apply([snapshot([], [], IDLE)]);
    show({ store }, { createSession, send });
    fireEvent.click(view().getByRole('button', { name: 'New session' }));
    fireEvent.click(await waitFor(() => view().getByRole('menuitem', { name: 'Demo' })));
    await until(() => expect(view().getByText('Starting Demo')).toBeTruthy());
    const box = view().getByRole('textbox', { name: 'Message' });
    fireEvent.input(box, { target: { value: 'Hello' } });
    fireEvent.keyDown(box, { key: 'Enter' });
    expect(send).not.toHaveBeenCalled();
    made('new');
    await until(() => expect(send).toHaveBeenCalledExactlyOnceWith('new', 'Hello'));
    expect(createSession).toHaveBeenCalledTimes(1);
    await until(() => expect(view().queryByText('Starting Demo')).toBeNull());
  });

  it('goes on with what is being written', async () => {
    const fresh = new SessionStore('new');
    const createSession = vi.fn(async () => {
      await Promise.resolve();
      mounted?.update({ ...shown, store: fresh });
      await until(() => expect(element.querySelector('[data-session=new]')).toBeTruthy());
      return 'new';
    });
    const store = new SessionStore(SESSION);
    store.apply([snapshot([], [], IDLE)]);
    show({ store }, { createSession });
    fireEvent.input(view().getByRole('textbox', { name: 'Message' }), {
      target: { value: 'Half a' },
    });
    fireEvent.click(view().getByRole('button', { name: 'New session' }));
    fireEvent.click(await waitFor(() => view().getByRole('menuitem', { name: 'Demo' })));
    await until(() => expect(element.querySelector('[data-session=new]')).toBeTruthy());
    await until(() =>
      expect(view().getByRole('textbox', { name: 'Message' })).toHaveProperty('value', 'Half a'),
    );
    expect(store.ui.value('draft')).toBe('');
  });

  it('leaves no trace where it fails', async () => {
    const createSession = vi.fn(() => Promise.reject(new Error('Demo could not start.')));
    show({}, { createSession });
    fireEvent.click(view().getByRole('button', { name: 'New session' }));
    fireEvent.click(await waitFor(() => view().getByRole('menuitem', { name: 'Demo' })));
    await until(() => expect(view().getByText('Demo could not start.')).toBeTruthy());
    expect(view().queryByText('Starting Demo')).toBeNull();
  });
});

describe('what is known of an open session', () => {
  function open(over: Partial<SessionState>, actions: Partial<Actions> = {}): void {
    const store = new SessionStore(SESSION);
    store.apply([snapshot([], [], { ...IDLE, ...over })]);
    show({ store }, actions);
  }

  it('says why nothing can be written, in place of the message box', () => {
    open({ read_only: 'This session is open in another server. You can read it here.' });
    const box = view().getByRole('textbox', { name: 'Message' });
    expect(box.hasAttribute('disabled')).toBe(true);
    expect(document.getElementById(box.getAttribute('aria-describedby') ?? '')?.textContent).toBe(
      'This session is open in another server. You can read it here.',
    );
    expect(view().queryByRole('button', { name: 'Send' })).toBeNull();
  });

  it('says so of an imported one', () => {
    open({ agent: 'imported' });
    expect(element.textContent).toContain('imported from a log');
    expect(view().getByRole('textbox', { name: 'Message' }).hasAttribute('disabled')).toBe(true);
  });

  it('starts an agent again that has ended', () => {
    const resume = vi.fn(() => Promise.resolve());
    open({ status: 'stopped', stored: true }, { life: lifeOf({ resume }) });
    expect(element.textContent).toContain(
      'Claude is not running. Your next message starts it again.',
    );
    fireEvent.click(view().getByRole('button', { name: 'Start again' }));
    expect(resume).toHaveBeenCalledExactlyOnceWith(SESSION);
    expect(view().getByRole('textbox', { name: 'Message' }).hasAttribute('disabled')).toBe(false);
  });

  it('says how long an agent has been silent, and stops waiting', () => {
    const cancel = vi.fn(() => Promise.resolve());
    open(
      { status: 'running', active_turn_id: 't1', silent_since: Date.now() / 1000 - 75.5 },
      { cancel },
    );
    const note = view().getByRole('group', { name: 'Still waiting' });
    expect(within(note).getByRole('timer').textContent).toBe(
      'Still waiting for Claude: nothing for 75 s.',
    );
    fireEvent.click(within(note).getByRole('button', { name: 'Stop waiting' }));
    expect(cancel).toHaveBeenCalledExactlyOnceWith(SESSION, 't1');
  });
});
