import { fireEvent, waitFor, within } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import {
  command,
  edit,
  message,
  permission,
  session,
  SESSION,
  thought,
  tool,
  turn,
  TURN,
} from '../../../tests/support/build';
import { added, appended, closed, replaced, snapshot } from '../../../tests/support/events';
import { SessionStore, snapshotStore } from '../../state/store';
import type { Event, Item, Plan, TurnState } from '../../wire/types';
import type { Actions } from '../actions';
import type { Mounted, TurnProps } from '../props';
import { mountTurn } from './turn_view';

const DONE = turn({ status: 'done', stop_reason: 'end_turn', started_at: 0, ended_at: 64 });

const IDLE = session({ status: 'idle', active_turn_id: null });

let element: HTMLElement;

let mounted: Mounted<TurnProps> | null = null;

beforeEach(() => {
  element = document.createElement('div');
  document.body.append(element);
});

afterEach(() => {
  mounted?.dispose();
  mounted = null;
  document.body.replaceChildren();
  vi.restoreAllMocks();
});

function actionsOf(over: Partial<Actions> = {}): Actions {
  return {
    answerPermission: vi.fn(() => Promise.resolve()),
    cancel: vi.fn(() => Promise.resolve()),
    ...over,
  };
}

function show(
  items: readonly Item[],
  state: TurnState = turn(),
  actions: Actions | null = actionsOf(),
): SessionStore {
  const store = new SessionStore(SESSION);
  store.apply([snapshot(items, [state], state.status === 'done' ? IDLE : session())]);
  mounted = mountTurn(element, { store, turnId: TURN, host: 'cell', actions });
  return store;
}

const view = () => within(element);

async function until(check: () => void): Promise<void> {
  await waitFor(check, { container: element });
}

function apply(store: SessionStore, ...events: Event[]): void {
  store.apply(events);
}

const plan: Plan = {
  id: 'p',
  turn_id: TURN,
  kind: 'plan',
  plan_id: '',
  text: '',
  entries: [
    { content: 'Read', priority: 'medium', status: 'completed' },
    { content: 'Write', priority: 'medium', status: 'in_progress' },
  ],
};

describe('a turn about an error', () => {
  const origin = {
    kernel_id: '',
    notebook_path: 'n.ipynb',
    cell_id: 'fix',
    view_id: '',
    source: '%acp fix',
  };
  const error = { cell: 'In[4]', cell_id: 'failed', words: "NameError: name 'x' is not defined" };

  it('names it, and leads to the cell that failed', () => {
    const jumpTo = vi.fn();
    show([], turn({ origin: { ...origin, error } }), actionsOf({ jumpTo }));
    expect(element.textContent).toContain(`About the error in cell In[4]: ${error.words}`);
    fireEvent.click(view().getByRole('button', { name: 'About the error in cell In[4]' }));
    expect(jumpTo).toHaveBeenCalledWith(expect.objectContaining({ cell_id: 'failed' }));
  });

  it('has no link where the cell is not known, nor in a saved output', () => {
    const unknown = { ...error, cell: '', cell_id: '' };
    show([], turn({ origin: { ...origin, error: unknown } }), actionsOf({ jumpTo: vi.fn() }));
    expect(element.textContent).toContain(`About the error: ${error.words}`);
    expect(element.querySelector('.acp-about button')).toBeNull();
    mounted?.dispose();
    show([], turn({ origin: { ...origin, error } }), null);
    expect(element.textContent).toContain('About the error in cell In[4]');
    expect(element.querySelector('.acp-about button')).toBeNull();
  });
});

describe('a running turn', () => {
  it('has the roles that users of screen readers go by', async () => {
    show([plan, tool('r'), message('m', 'Some *text*'), command('c', { status: 'in_progress' })]);
    await until(() => expect(view().getByRole('list', { name: 'Plan' })).toBeTruthy());
    const steps = within(view().getByRole('list', { name: 'Plan' })).getAllByRole('listitem');
    expect(steps.map(step => step.dataset.status)).toEqual(['completed', 'in_progress']);
    expect(
      view().getByRole('log', { name: 'Make clean.py twice as fast' }).getAttribute('aria-busy'),
    ).toBe('true');
    const card = view().getByRole('group', { name: 'Running command Run the tests' });
    expect([card.dataset.status, card.dataset.kind]).toEqual(['in_progress', 'execute']);
    expect(view().getByRole('status').textContent).toBe('Running command');
    expect(view().getByRole('timer')).toBeTruthy();
    expect(view().getByRole('button', { name: 'Stop' })).toBeTruthy();
    expect(element.querySelector('em')?.textContent).toBe('text');
  });

  it('appends text to the node that is there', async () => {
    const store = show([message('m', 'Hello', true)]);
    await until(() =>
      expect(element.querySelector('.acp-prose p')?.firstChild?.textContent).toBe('Hello'),
    );
    const node = element.querySelector('.acp-prose p')?.firstChild;
    apply(store, appended('m', 5, ' wor', 11), appended('m', 9, 'ld', 12));
    await until(() => expect(node?.textContent).toBe('Hello world'));
    expect(element.querySelector('.acp-prose p')?.firstChild).toBe(node);
    apply(store, closed('m', 13));
    await until(() => expect(element.querySelector('.live')).toBeNull());
    expect(element.querySelector('.acp-prose p')?.firstChild).toBe(node);
  });

  it('shows another text when the item is replaced by one', async () => {
    const store = show([message('m', 'Hello', true)]);
    apply(store, appended('m', 5, ' world', 11));
    apply(store, replaced(message('m', 'Something else'), 12));
    await until(() =>
      expect(element.querySelector('.acp-prose')?.textContent).toBe('Something else'),
    );
  });

  it('keeps bodies out of the page until they are opened, and stays within its nodes', async () => {
    show([
      tool('r', { output: 'secret line\n', first_line: 3 }),
      message('m', 'x'),
      thought('th', 'why'),
    ]);
    const card = view().getByRole('group', { name: 'Reading file src/clean.py' });
    expect(card.textContent).not.toContain('secret');
    expect(card.querySelectorAll('*').length + 1).toBeLessThanOrEqual(20);
    const line = view().getByRole('button', { name: /^Thought/ });
    expect(line.querySelectorAll('*').length + 2).toBeLessThanOrEqual(8);
    fireEvent.click(within(card).getByRole('button'));
    await until(() => expect(card.textContent).toContain('secret line'));
    expect(card.querySelector('.ln')?.textContent).toBe('3');
  });

  it('joins finished calls into a group and leaves the running one outside', async () => {
    const store = show([tool('a'), tool('b', { status: 'in_progress', ended_at: null })]);
    expect(element.querySelector('.acp-group')).toBeNull();
    apply(store, replaced(tool('b'), 11), added(command('c', { status: 'in_progress' }), 2, 12));
    await until(() => expect(view().getByRole('button', { name: /Read 2 files/ })).toBeTruthy());
    const group = element.querySelector('.acp-group');
    expect(group?.querySelectorAll('.acp-tool')).toHaveLength(2);
    expect(group?.textContent).not.toContain('Running command');
  });

  it('shows the output of a command as it grows, with colours and without escape codes', async () => {
    const store = show([
      command('c', { status: 'failed', output: '\u001b[31mred\u001b[0m\n', exit_code: 2 }),
    ]);
    const output = await waitFor(() => view().getByRole('group', { name: 'Error from the tool' }));
    expect(output.querySelector('.ansi-red-fg')?.textContent).toBe('red');
    const first = output.firstElementChild;
    apply(store, appended('c', 13, '10%\r100%\r\n<img src=x onerror=alert(1)>', 11, 'output'));
    await until(() => expect(output.textContent).toBe('red\n100%\n<img src=x onerror=alert(1)>'));
    expect(output.firstElementChild).toBe(first);
    expect(output.querySelector('img')).toBeNull();
    expect(element.textContent).toContain('Exit code 2');
  });

  it('stops by its button and says why when it could not', async () => {
    const cancel = vi.fn(() => Promise.reject(new Error('The server does not answer.')));
    show([message('m', 'x', true)], turn(), actionsOf({ cancel }));
    fireEvent.click(view().getByRole('button', { name: 'Stop' }));
    expect(cancel).toHaveBeenCalledWith(SESSION, TURN);
    await until(() => expect(element.textContent).toContain('The server does not answer.'));
  });
});

describe('a finished turn', () => {
  const steps = [tool('r1'), tool('r2'), message('m0', 'First.'), edit('e'), command('c')];

  it('folds the work into one line and keeps the answer', async () => {
    show([...steps, message('m', 'All **done**.')], DONE);
    const log = view().getByRole('button', { name: /4 steps · 1 file changed$/ });
    expect(log.getAttribute('aria-expanded')).toBe('false');
    expect(element.textContent).not.toContain('First.');
    await until(() => expect(element.querySelector('strong')?.textContent).toBe('done'));
    expect(view().queryByRole('status')).toBeNull();
    const changes = view().getByRole('group', { name: 'Changes' });
    fireEvent.click(within(changes).getByRole('button', { name: /clean.py/ }));
    await until(() =>
      expect(view().getByRole('region', { name: 'Diff of src/clean.py' })).toBeTruthy(),
    );
    fireEvent.click(log);
    await until(() => expect(element.textContent).toContain('First.'));
  });

  it('says what went wrong once', () => {
    const failure = {
      message: 'Claude stopped during the turn.',
      detail: 'Traceback',
      reason: 'agent_died',
    };
    const error: Item = { id: 'x', turn_id: TURN, kind: 'error', code: '', ...failure };
    show([tool('r'), error], { ...DONE, stop_reason: 'error', failure });
    expect(element.textContent.split(failure.message)).toHaveLength(2);
    expect(element.textContent).toContain('Traceback');
  });

  it('keeps what the user opened when it is drawn anew', async () => {
    const store = show([tool('r', { output: 'the line\n' }), message('m', 'x')], DONE);
    fireEvent.click(view().getByRole('button', { name: /Reading file/ }));
    await until(() => expect(element.textContent).toContain('the line'));
    mounted?.dispose();
    mounted = mountTurn(element, { store, turnId: TURN, host: 'cell', actions: actionsOf() });
    expect(element.textContent).toContain('the line');
  });
});

describe('the first line', () => {
  function showSession(named: boolean): void {
    const store = new SessionStore(SESSION);
    const state = session({ status: 'idle', active_turn_id: null, title: 'Clean the rows', named });
    store.apply([snapshot([message('m', 'x')], [DONE], state)]);
    mounted = mountTurn(element, { store, turnId: TURN, host: 'cell', actions: actionsOf() });
  }

  it('says the name that a person gave to the session', () => {
    showSession(true);
    expect(element.querySelector('.acp-head')?.textContent).toContain('Clean the rows');
  });

  it('does not say the words of another prompt, which are the title of an unnamed one', () => {
    showSession(false);
    expect(element.querySelector('.acp-head')?.textContent).not.toContain('Clean the rows');
  });
});

describe('a saved record', () => {
  it('shows the whole turn without any control', async () => {
    const store = snapshotStore({
      version: 1,
      turn_id: TURN,
      session_id: SESSION,
      final: true,
      agent: { id: 'demo', name: 'Demo', version: '1' },
      session_title: 'cleaning',
      turn: DONE,
      items: [
        tool('r1'),
        tool('r2'),
        edit('e', {
          diffs: [
            {
              path: 'a.py',
              old_text: null,
              new_text: 'x\n'.repeat(900),
              is_new_file: true,
              old_line: 1,
              new_line: 1,
              added: 900,
              removed: 0,
            },
          ],
        }),
        command('forged', { status: 'pending', permission: permission() }),
        message('m', 'Done.\n\n```py\nx\n```\n\n![i](https://example.org/i.png)'),
      ],
      footer: ['Demo 1'],
    });
    mounted = mountTurn(element, { store, turnId: TURN, host: 'cell', actions: null });
    await until(() => expect(element.textContent).toContain('Done.'));
    for (const summary of [...element.querySelectorAll('summary')]) {
      fireEvent.click(summary);
    }
    await until(() => expect(element.querySelectorAll('summary').length).toBeGreaterThan(3));
    for (const details of [...element.querySelectorAll('details')]) {
      details.open = true;
      fireEvent(details, new Event('toggle'));
    }
    await until(() => expect(view().getAllByRole('region').length).toBeGreaterThan(0));
    expect(view().queryAllByRole('button')).toEqual([]);
    expect(element.querySelector('button, input, textarea, [tabindex="-1"].acp-perm')).toBeNull();
    expect(element.querySelector('img')).toBeNull();
    expect(element.textContent).toContain('Saved turn. Its session is not open here.');
  });
});

describe('two views of one session', () => {
  it('each draw their own turn', async () => {
    const store = new SessionStore(SESSION);
    const other = turn({ turn_id: 't2' });
    store.apply([
      snapshot([message('a', 'first'), message('b', 'second', true, 't2')], [DONE, other]),
    ]);
    const second = document.createElement('div');
    document.body.append(second);
    mounted = mountTurn(element, { store, turnId: TURN, host: 'cell', actions: actionsOf() });
    const more = mountTurn(second, { store, turnId: 't2', host: 'cell', actions: actionsOf() });
    await waitFor(() => expect(second.textContent).toContain('second'));
    expect(element.textContent).toContain('first');
    expect(element.textContent).not.toContain('second');
    more.dispose();
    expect(second.childNodes).toHaveLength(0);
  });
});
