import { fireEvent, waitFor, within } from '@testing-library/preact';
import { describe, expect, it, vi } from 'vitest';

import {
  command,
  edit,
  message,
  permission,
  search,
  todoList,
  TODOS,
  tool,
  TURN,
} from '../../../tests/support/build';
import { draw, openedCard, words } from '../../../tests/support/draw';
import { replaced } from '../../../tests/support/events';
import type { Plan } from '../../wire/types';

describe('the title of a call', () => {
  it('has code between backticks, and a lone backtick as it is', () => {
    const { element } = draw([
      tool('a', { title: 'Run `pytest -q` in `src`' }),
      tool('b', { title: 'A ` alone' }),
    ]);
    const titles = [...element.querySelectorAll('.acp-tool .t')];
    expect(titles.map(title => title.textContent)).toEqual(['Run pytest -q in src', 'A ` alone']);
    expect(
      [...element.querySelectorAll('.acp-tool .t code')].map(code => code.textContent),
    ).toEqual(['pytest -q', 'src']);
  });
});

describe('a todo list', () => {
  it('an empty one is a list of its own, not a card', () => {
    const { view, element } = draw([
      todoList('t', { todos: [], description: '', status: 'pending' }),
    ]);
    expect(within(view.getByRole('list', { name: 'Todos' })).queryAllByRole('listitem')).toEqual(
      [],
    );
    expect(element.querySelector('.acp-tool')).toBeNull();
  });

  it('the list is replaced; what is done now stands in its active form', async () => {
    const { view, element, store } = draw([todoList('t', { todos: [], status: 'pending' })]);
    store.apply([replaced(todoList('t', { status: 'in_progress' }), 11)]);
    await waitFor(() => expect(view.getAllByRole('listitem')).toHaveLength(3));
    const list = view.getByRole('list', { name: 'Todos' });
    const items = within(list).getAllByRole('listitem');
    expect(items.map(item => item.dataset.status)).toEqual(['completed', 'in_progress', 'pending']);
    expect(items.map(words)).toEqual([
      'Done: Run tests',
      'Now: Fixing the bug',
      'Next: Write docs',
    ]);
    expect(words(view.getByRole('button', { name: /Updating todos/ }))).toContain('1/3');
    const rest = TODOS.map(todo => ({ ...todo, status: 'completed' as const }));
    store.apply([replaced(todoList('t', { todos: rest.slice(0, 2) }), 12)]);
    await waitFor(() =>
      expect(within(list).getAllByRole('listitem').map(words)).toEqual([
        'Done: Run tests',
        'Done: Fix the bug',
      ]),
    );
    expect(element.querySelector('.acp-tool')).toBeNull();
    expect(element.textContent).not.toContain('{');
  });

  it('the list stays one when the title of its call changes', async () => {
    const { view, store, element } = draw([todoList('t', { title: 'todowrite' })]);
    store.apply([replaced(todoList('t', { title: '6 todos' }), 11)]);
    await waitFor(() => expect(words(element)).toContain('6 todos'));
    expect(view.getByRole('list', { name: 'Todos' })).toBeTruthy();
    expect(element.querySelector('.acp-tool')).toBeNull();
  });

  it('a plan and a todo list are both shown', async () => {
    const plan: Plan = {
      id: 'p',
      turn_id: TURN,
      kind: 'plan',
      plan_id: '',
      text: '',
      entries: [{ content: 'Look around', priority: 'high', status: 'in_progress' }],
    };
    const { view } = draw([plan, todoList('t')]);
    await waitFor(() => expect(view.getByRole('list', { name: 'Plan' })).toBeTruthy());
    expect(words(view.getByRole('list', { name: 'Plan' }))).toBe('Now: Look around');
    expect(within(view.getByRole('list', { name: 'Todos' })).getAllByRole('listitem')).toHaveLength(
      3,
    );
  });

  it('is open only where it is the newest of the turn', () => {
    const { view } = draw([todoList('old'), message('m', 'And then'), todoList('new'), tool('r')]);
    const lines = view.getAllByRole('button', { name: /Updating todos/ });
    expect(lines.map(line => line.getAttribute('aria-expanded'))).toEqual(['false', 'true']);
    expect(view.getAllByRole('list', { name: 'Todos' })).toHaveLength(1);
  });
});

describe('a task', () => {
  it('names its subagent in a badge', () => {
    const { card } = draw([
      tool('t', {
        tool_kind: 'think',
        ui_kind: 'task',
        title: 'Running task',
        description: 'Find the callers',
        subagent_type: 'Explore',
      }),
    ]);
    const task = card('Running task Find the callers');
    expect(task.querySelector('.badge')?.textContent).toBe('Explore');
  });
});

describe('a search', () => {
  it('lists its files, each of which opens, with their count and a badge', async () => {
    const openFile = vi.fn(async () => {});
    const item = search('s', ['src/a.ts', 'src/b.ts'], { count: 131, truncated: true });
    const drawn = draw([item], { actions: { openFile } });
    const line = words(within(drawn.card(/Searching files/)).getByRole('button'));
    expect(line).toContain('truncated');
    expect(line).toContain('131 files');
    const card = await openedCard(drawn, /Searching files/);
    const list = within(card).getByRole('list', { name: 'Results' });
    expect(words(card.querySelector('footer'))).toBe('2 of 131 files');
    expect(within(list).getAllByRole('listitem').map(words)).toEqual(['src/a.ts', 'src/b.ts']);
    fireEvent.click(within(list).getByRole('button', { name: 'src/b.ts' }));
    expect(openFile).toHaveBeenCalledExactlyOnceWith('src/b.ts', null);
  });

  it('nothing found is an empty state, not one file', async () => {
    const drawn = draw([search('s', [], { remarks: ['No files found'], count: 0 })]);
    const card = await openedCard(drawn, /Searching files/);
    expect(words(card.querySelector('.acp-found'))).toBe('No files found');
    expect(within(card).queryByRole('listitem')).toBeNull();
  });

  it('opens a found line at its place', async () => {
    const openFile = vi.fn(async () => {});
    const hits = [
      { path: 'a.py', line: 14, text: 'for row in rows:' },
      { path: 'a.py', line: 71, text: '    x: 3' },
      { path: 'b.py', line: 9, text: 'rows = []' },
    ];
    const item = search('s', ['a.py', 'b.py'], {
      title: 'Searching content',
      tool_name: 'grep',
      hits,
      remarks: ['(Results are truncated)'],
      count: 131,
    });
    const drawn = draw([item], { actions: { openFile } });
    const card = await openedCard(drawn, /Searching content/);
    const list = within(card).getByRole('list', { name: 'Results' });
    expect(within(list).getAllByRole('listitem').map(words)).toEqual([
      'a.py14for row in rows:71 x: 3',
      'b.py9rows = []',
    ]);
    fireEvent.click(within(list).getByRole('button', { name: /x: 3/ }));
    expect(openFile).toHaveBeenCalledExactlyOnceWith('a.py', 71);
    expect(words(card.querySelector('footer'))).toBe('3 of 131 matches');
    expect(words(card.querySelector('.acp-empty'))).toBe('(Results are truncated)');
  });

  it('shows the folder that it searched', async () => {
    const drawn = draw([search('s', ['src/a.ts'], { path: 'src' })]);
    const card = await openedCard(drawn, /Searching files/);
    expect(words(card.querySelector('.acp-found > header'))).toBe('In src');
  });

  it('shows the rest of many results on demand', async () => {
    const files = Array.from({ length: 40 }, (_, index) => `f${index}.py`);
    const drawn = draw([search('s', files)]);
    const card = await openedCard(drawn, /Searching files/);
    expect(within(card).getAllByRole('listitem')).toHaveLength(12);
    fireEvent.click(within(card).getByRole('button', { name: 'Show all' }));
    await waitFor(() => expect(within(card).getAllByRole('listitem')).toHaveLength(40));
  });
});

describe('a read', () => {
  it('numbers are a gutter beside the text, and it opens where it was read', async () => {
    const openFile = vi.fn(async () => {});
    const text = 'def main():\n    pass\n';
    const item = tool('r', { output: text, first_line: 12, truncated: true });
    const drawn = draw([item], { actions: { openFile } });
    const card = await openedCard(drawn, /Reading file/);
    const pre = within(card).getByRole('group', { name: 'src/clean.py' });
    const gutter = [...pre.querySelectorAll('.ln')];
    expect(gutter.map(words)).toEqual(['12', '13']);
    gutter.forEach(number => number.remove());
    expect(pre.textContent).toBe(text);
    expect(words(card.querySelector('.badge'))).toBe('truncated');
    fireEvent.click(within(card).getByRole('button', { name: 'Open file' }));
    expect(openFile).toHaveBeenCalledExactlyOnceWith('src/clean.py', 12);
  });

  it('the whole path is in the tooltip', () => {
    const { element } = draw([tool('r', { path: 'a/index.ts', description: 'a/index.ts' })]);
    expect(element.querySelector<HTMLElement>('.path')?.title).toBe(
      '~/projects/analysis/a/index.ts',
    );
  });
});

describe('a command', () => {
  it('one that ended with an error looks failed and says its exit code', async () => {
    const { card } = draw([command('c', { output: 'no\n', exit_code: 2, truncated: true })]);
    const failed = card(/Running command/);
    expect(failed.dataset.status).toBe('completed');
    expect(failed.dataset.failed).toBe('');
    expect(words(failed.querySelector('.acp-line'))).toContain('failed');
    expect(words(failed.querySelector('.acp-line'))).toContain('truncated');
    await waitFor(() => expect(words(failed.querySelector('footer'))).toContain('Exit code 2'));
    await waitFor(() => expect(failed.textContent.split('no').length).toBe(2));
  });

  it('one that ended well does not', async () => {
    const drawn = draw([command('c', { exit_code: 0 })]);
    const card = await openedCard(drawn, /Running command/);
    expect(card.dataset.failed).toBeUndefined();
    expect(words(card)).not.toContain('failed');
    expect(words(card)).toContain('Exit code 0');
  });

  it('counts as failed in its group', () => {
    const { view } = draw([command('a', { exit_code: 1 }), tool('b'), message('m', 'So.')]);
    expect(view.getByRole('button', { name: /2 steps · 1 failed/ })).toBeTruthy();
  });

  it('shows its output once, whatever its kind', async () => {
    const drawn = draw([tool('r', { command: 'cat a.py', output: 'the text\n' })]);
    const card = await openedCard(drawn, /Reading file/);
    await waitFor(() => expect(card.textContent.split('the text')).toHaveLength(2));
  });
});

describe('an edit', () => {
  const asked = edit('e', { permission: permission({ state: 'allowed', outcome: 'Allowed' }) });
  const unseen = edit('e', {
    permission: permission({ state: 'allowed', outcome: 'Allowed by rule', without_user: true }),
  });

  it('is open where nobody saw it before, and says its counts once', () => {
    const { element } = draw([unseen]);
    expect(element.querySelectorAll('.acp-tool .acp-diff')).toHaveLength(1);
    expect(element.querySelectorAll('.acp-tool .counts')).toHaveLength(1);
  });

  it('stays a line where its user has allowed it', () => {
    const { element } = draw([asked]);
    expect(element.querySelectorAll('.acp-tool .acp-diff')).toHaveLength(0);
    expect(element.querySelectorAll('.acp-tool .counts')).toHaveLength(1);
  });
});
