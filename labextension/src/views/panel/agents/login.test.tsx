import { fireEvent, within } from '@testing-library/preact';
import { describe, expect, it, vi } from 'vitest';

import { agentEntry, prompt, session, SESSION, turn, TURN } from '../../../../tests/support/build';
import { snapshot } from '../../../../tests/support/events';
import { element, showPanel, storeOf, until, view } from '../../../../tests/support/panel';
import { SessionStore } from '../../../state/store';
import type { AgentEntry, AuthMethod, Item, LoginState, SessionState } from '../../../wire/types';
import type { Actions } from '../../actions';

function method(over: Partial<AuthMethod>): AuthMethod {
  return {
    id: 'browser',
    name: 'Browser',
    description: '',
    kind: 'agent',
    link: '',
    variables: [],
    adds: '',
    ...over,
  };
}

const METHODS = [
  method({ description: 'Use your subscription' }),
  method({ id: 'tty', name: 'Terminal', kind: 'terminal' }),
  method({
    id: 'key',
    name: 'API key',
    kind: 'env_var',
    variables: [{ name: 'SOME_KEY', label: '', secret: true, optional: false }],
  }),
  method({ id: 'new', name: 'Passkey', kind: 'other' }),
];

function login(over: Partial<LoginState> = {}): LoginState {
  return {
    method_id: 'browser',
    name: 'Browser',
    state: 'running',
    terminal: '',
    message: '',
    since: 0,
    ...over,
  };
}

function show(
  over: Partial<SessionState>,
  actions: Partial<Actions> = {},
  agents: AgentEntry[] = [],
): void {
  const store = storeOf([], session({ status: 'stopped', active_turn_id: null, ...over }));
  showPanel({ store, agents }, actions);
}

const reply = (over: object = {}) => ({
  message: 'Look there.',
  terminal: '',
  command: '',
  ...over,
});

describe('an agent that needs a login', () => {
  const needs = { needs_login: 'Claude needs a login.', auth_methods: METHODS };

  it('says so and has a button for each way that works from here', () => {
    show(needs, { login: () => Promise.resolve(reply()) });
    const card = within(view().getByRole('group', { name: 'Log in' }));
    expect(card.getByText('Claude needs a login.')).toBeTruthy();
    expect(card.getAllByRole('button').map(button => button.textContent)).toEqual([
      'Log in: Browser',
      'Log in: Terminal',
      'How to set: API key',
    ]);
    expect(card.getByText('SOME_KEY')).toBeTruthy();
    expect(card.getByText(/not possible from here/)).toBeTruthy();
    expect(element().querySelector('input')).toBeNull();
  });

  it('shows what the agent adds to its command before it runs, and a name as it is', () => {
    const adds = "MODE=x --login 'a b' \u202e";
    const methods = [method({ id: 'tty', name: 'T\u202e', kind: 'terminal', adds })];
    show({ ...needs, auth_methods: methods }, { login: () => Promise.resolve(reply()) });
    const added = view().getByRole('group', { name: 'Adds' }).textContent;
    expect(added).toBe("MODE=x --login 'a b' U+202E");
    expect(view().getByRole('button', { name: 'Log in: TU+202E' })).toBeTruthy();
  });

  it('begins the login that was clicked and opens its terminal', async () => {
    const start = vi.fn(() => Promise.resolve(reply({ terminal: '3' })));
    const openTerminal = vi.fn();
    show(needs, { login: start, openTerminal });
    fireEvent.click(view().getByRole('button', { name: 'Log in: Terminal' }));
    await until(() => expect(openTerminal).toHaveBeenCalledExactlyOnceWith('3'));
    expect(start).toHaveBeenCalledExactlyOnceWith(SESSION, 'tty');
  });

  it('shows the command where there is no terminal, and why a login is refused', async () => {
    const answers = [
      () => Promise.resolve(reply({ command: 'claude --login' })),
      () => Promise.reject(new Error('It wants another program.')),
    ];
    show(needs, { login: () => answers.shift()?.() ?? Promise.reject(new Error('again')) });
    fireEvent.click(view().getByRole('button', { name: 'Log in: Terminal' }));
    await until(() => expect(element().textContent).toContain('claude --login'));
    expect(element().textContent).toContain('Look there.');
    fireEvent.click(view().getByRole('button', { name: 'Log in: Browser' }));
    await until(() => expect(element().textContent).toContain('It wants another program.'));
  });

  it('shows a login that goes on, with a way out', async () => {
    const cancelLogin = vi.fn(() => Promise.resolve());
    const openTerminal = vi.fn();
    show({ ...needs, login: login({ terminal: '3' }) }, { cancelLogin, openTerminal });
    expect(view().getByText('Logging in: Browser')).toBeTruthy();
    expect(view().queryByRole('button', { name: 'Log in: Browser' })).toBeNull();
    fireEvent.click(view().getByRole('button', { name: 'Open the terminal' }));
    expect(openTerminal).toHaveBeenCalledExactlyOnceWith('3');
    fireEvent.click(view().getByRole('button', { name: 'Cancel' }));
    await until(() => expect(cancelLogin).toHaveBeenCalledExactlyOnceWith(SESSION));
  });

  it('says why a login failed and offers it again', () => {
    const failed = login({ state: 'failed', message: 'The browser said no.' });
    show({ ...needs, login: failed }, { login: () => Promise.resolve(reply()) });
    expect(element().textContent).toContain('The browser said no.');
    expect(view().getByRole('button', { name: 'Log in: Browser' })).toBeTruthy();
  });

  it('is told once: the card in full, the turn in a line, no offer to start it again', () => {
    const words = 'Claude needs a login: Authentication required. Log in to it in the panel.';
    const refused: Item = {
      id: 'e1',
      turn_id: TURN,
      kind: 'error',
      message: words,
      detail: '',
      code: '-32000',
      reason: 'login_needed',
    };
    const failure = { message: words, detail: '', reason: 'login_needed' };
    const store = new SessionStore(SESSION);
    const state = session({ status: 'stopped', active_turn_id: null, needs_login: words });
    const ended = turn({ status: 'done', stop_reason: 'error', failure });
    store.apply([snapshot([prompt('p1', 'Good morning'), refused], [ended], state)]);
    showPanel({ store }, { life: undefined });
    expect(element().textContent.split('Authentication required')).toHaveLength(2);
    expect(view().getByRole('group', { name: 'Error' }).textContent.trim()).toBe(
      'Not sent: Claude needed a login.',
    );
    expect(element().textContent).not.toContain('is not running');
  });

  it('is not there when nothing is needed', () => {
    show({ auth_methods: METHODS });
    expect(view().queryByRole('group', { name: 'Log in' })).toBeNull();
  });
});

describe('agents that are not installed', () => {
  const some = agentEntry({
    id: 'some',
    name: 'Some',
    status: 'not_installed',
    detail: 'Install it with: npm install -g some.',
    install: 'npm install -g some',
    package: 'some@1.2.3',
    run: 'npx -y some@1.2.3 acp',
    notes: ['It needs Node 22 or newer; Node 20.1.0 is here.', 'Nothing pins its packages.'],
    listed: true,
  });

  it('are on a page of their own, and are downloaded after package and command were shown', async () => {
    const allowDownload = vi.fn(() => Promise.resolve());
    const refreshAgents = vi.fn(() => Promise.resolve());
    showPanel({ agents: [agentEntry({ id: 'demo' }), some] }, { allowDownload, refreshAgents });
    fireEvent.click(view().getByRole('button', { name: 'Add an agent…' }));
    const list = within(await view().findByRole('list', { name: 'All agents' }));
    fireEvent.click(list.getByRole('button', { name: 'Download Some' }));
    await until(() => expect(element().textContent).toContain('npx -y some@1.2.3 acp'));
    expect(element().textContent).toContain('some@1.2.3 will be downloaded and run as you:');
    expect(element().textContent).toContain('Node 20.1.0 is here.Nothing pins its packages.');
    expect(allowDownload).not.toHaveBeenCalled();
    fireEvent.click(list.getByRole('button', { name: 'Allow the download' }));
    await until(() => expect(refreshAgents).toHaveBeenCalledOnce());
    expect(allowDownload).toHaveBeenCalledExactlyOnceWith(
      'some',
      'some@1.2.3',
      'npx -y some@1.2.3 acp',
    );
  });

  it('are of a day, and a newer list is looked for', async () => {
    const reply = { date: '2026-02-07', downloaded: false, may_update: true, failure: '' };
    const updateRegistry = vi
      .fn()
      .mockResolvedValueOnce({ ...reply, failure: 'cdn.example could not be reached: no route' })
      .mockResolvedValue({ ...reply, date: '2026-11-21', downloaded: true });
    const refreshAgents = vi.fn(() => Promise.resolve());
    const registry = () => Promise.resolve(reply);
    showPanel({ agents: [some] }, { registry, updateRegistry, refreshAgents });
    fireEvent.click(view().getByRole('button', { name: 'Add an agent…' }));
    const button = await view().findByRole('button', { name: 'Look for a newer list' });
    expect(element().textContent).toContain('dates from 2026-02-07.');
    fireEvent.click(button);
    await until(() =>
      expect(element().textContent).toContain(
        'The list was not updated: cdn.example could not be reached: no route',
      ),
    );
    await until(() => expect(button.getAttribute('aria-disabled')).toBe('false'));
    fireEvent.click(button);
    await until(() =>
      expect(element().textContent).toContain(
        "The list of agents is the public registry's of 2026-11-21.",
      ),
    );
    expect(element().textContent).not.toContain('No newer list');
    await until(() => expect(button.getAttribute('aria-disabled')).toBe('false'));
    fireEvent.click(button);
    await until(() => expect(element().textContent).toContain('There is no newer list.'));
    expect(refreshAgents).toHaveBeenCalledTimes(3);
    await until(() => expect(button.getAttribute('aria-disabled')).toBe('false'));
    refreshAgents.mockRejectedValueOnce(new Error('The server is away.'));
    fireEvent.click(button);
    await until(() =>
      expect(element().textContent).toContain(
        'The agents could not be listed again: The server is away.',
      ),
    );
  });

  it('say when the day of their list could not be read', async () => {
    const registry = () => Promise.reject(new Error('The server is away.'));
    showPanel({ agents: [some] }, { registry });
    fireEvent.click(view().getByRole('button', { name: 'Add an agent…' }));
    await until(() =>
      expect(element().textContent).toContain(
        'The date of the list of agents could not be read: The server is away.',
      ),
    );
    expect(element().textContent).not.toContain('No newer list');
  });

  it('have a list that only says its day where a newer one may not be downloaded', async () => {
    const registry = () =>
      Promise.resolve({ date: '2026-02-07', downloaded: false, may_update: false, failure: '' });
    showPanel({ agents: [some] }, { registry, updateRegistry: vi.fn() });
    fireEvent.click(view().getByRole('button', { name: 'Add an agent…' }));
    await until(() => expect(element().textContent).toContain('dates from 2026-02-07.'));
    expect(view().queryByRole('button', { name: 'Look for a newer list' })).toBeNull();
  });

  it('have no button where nothing can be downloaded', () => {
    showPanel(
      { agents: [agentEntry({ status: 'not_installed', package: '', listed: true })] },
      { allowDownload: () => Promise.resolve() },
    );
    expect(view().queryByRole('button', { name: /Download/, hidden: true })).toBeNull();
  });

  it('are found by name, and the command that installs one is copied', async () => {
    const copy = vi.fn(() => Promise.resolve());
    const other = agentEntry({ id: 'other', name: 'Other', status: 'not_installed' });
    showPanel({ agents: [other, some] }, { copy });
    fireEvent.click(view().getByRole('button', { name: 'Add an agent…' }));
    const search = await view().findByRole('searchbox', { name: 'Search agents' });
    expect(document.activeElement).toBe(search);
    fireEvent.input(search, { target: { value: 'SOM' } });
    await until(() => expect(element().textContent).not.toContain('Other'));
    fireEvent.click(view().getByRole('button', { name: 'Copy the command for Some' }));
    await until(() => expect(copy).toHaveBeenCalledExactlyOnceWith('npm install -g some'));
    fireEvent.input(search, { target: { value: 'none such' } });
    await until(() => expect(element().textContent).toContain('Nothing found.'));
    fireEvent.keyDown(search, { key: 'Escape' });
    fireEvent.click(view().getByRole('button', { name: 'Back to the session' }));
    await until(() => expect(view().queryByRole('list', { name: 'All agents' })).toBeNull());
  });

  it('are a step away from every list of agents', async () => {
    const createSession = () => Promise.resolve('new');
    show({}, { createSession }, [agentEntry({ id: 'demo', name: 'Demo' }), some]);
    fireEvent.click(view().getByRole('button', { name: 'New session' }));
    fireEvent.click(await view().findByRole('menuitem', { name: 'Add an agent…' }));
    expect(await view().findByRole('list', { name: 'All agents' })).toBeTruthy();
    fireEvent.click(view().getByRole('button', { name: 'Back to the session' }));
    fireEvent.click(await view().findByRole('combobox', { name: 'Agent' }));
    fireEvent.click(view().getByRole('option', { name: 'Add an agent…' }));
    expect(await view().findByRole('list', { name: 'All agents' })).toBeTruthy();
    expect(createSession).toHaveLength(0);
  });

  it('are not in the picker', () => {
    const createSession = () => Promise.resolve('new');
    show({}, { createSession }, [agentEntry({ id: 'demo', name: 'Demo' }), some]);
    fireEvent.click(view().getByRole('combobox', { name: 'Agent' }));
    expect(
      view()
        .getAllByRole('option')
        .map(option => option.textContent),
    ).toEqual(['Demo', 'Add an agent…']);
  });
});
