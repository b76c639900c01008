import { act, fireEvent, waitFor, within } from '@testing-library/preact';
import { describe, expect, it, vi } from 'vitest';

import { command, edit, message, permission, todoList, tool } from '../../../tests/support/build';
import { DONE, draw, openedCard, words } from '../../../tests/support/draw';
import { added, replaced } from '../../../tests/support/events';
import { drawGolden } from '../../../tests/support/golden';
import type { ToolCall } from '../../wire/types';

function task(over: Partial<ToolCall> = {}): ToolCall {
  return tool('task', {
    ui_kind: 'task',
    tool_kind: 'think',
    tool_name: 'Task',
    title: 'Running task',
    description: 'Find usages',
    subagent_type: 'Explore',
    path: '',
    status: 'in_progress',
    ended_at: null,
    ...over,
  });
}

const READ = tool('read', { parent_id: 'task' });

const EDIT = edit('edit', { parent_id: 'task' });

const SAID = { ...message('said', 'Three places.'), parent_id: 'task' };

describe("a subagent's call", () => {
  it('shows its newest step while it runs, and all of them when it is opened', async () => {
    const drawn = draw([task(), READ]);
    const { view, store, card } = drawn;
    expect(view.queryByRole('group', { name: /Reading file/ })).toBeNull();
    expect(words(card(/Running task/).querySelector('.acp-progress'))).toBe(
      'Reading file src/clean.py',
    );
    void act(() => store.apply([added(EDIT, 2, 11)]));
    expect(words(card(/Running task/).querySelector('.acp-progress'))).toContain('Editing file');
    const opened = await openedCard(drawn, /Running task/);
    expect(within(opened).getByRole('button', { name: /^2 steps · 1 file changed/ })).toBeTruthy();
    expect(within(opened).getByRole('group', { name: /Reading file/ })).toBeTruthy();
    expect(within(opened).getByRole('group', { name: /Editing file/ })).toBeTruthy();
  });

  it('shows what goes on in the background when the call itself is done', () => {
    const done = task({ status: 'completed' });
    const running = { ...READ, status: 'in_progress', ended_at: null } as const;
    const { card, store } = draw([done, running]);
    expect(words(card(/Running task/).querySelector('.acp-progress'))).toContain('Reading file');
    void act(() => store.apply([replaced(READ, 11)]));
    expect(card(/Running task/).querySelector('.acp-progress')).toBeNull();
  });

  it('is one line once it is done, with its steps folded inside', async () => {
    const items = [task({ status: 'completed' }), READ, SAID, tool('own'), tool('more')];
    const drawn = draw([...items, message('m', 'Done.')]);
    expect(drawn.view.queryByText('Three places.')).toBeNull();
    expect(drawn.view.getByRole('button', { name: /^Read 2 files/ })).toBeTruthy();
    const opened = await openedCard(drawn, /Running task/);
    const steps = within(opened).getByRole('button', { name: /^1 step/, expanded: false });
    fireEvent.click(steps);
    await waitFor(() => expect(within(opened).getByText('Three places.')).toBeTruthy());
  });

  it('counts with its steps in the work log of a finished turn', () => {
    const items = [task({ status: 'completed' }), READ, EDIT, tool('a'), tool('b')];
    const { view } = draw([...items, message('m', 'Done.')], { turn: DONE });
    expect(view.getByRole('button', { name: /5 steps · 1 file changed/ })).toBeTruthy();
  });

  it('never hides what a step asks', () => {
    const answerPermission = vi.fn(() => Promise.resolve());
    const asks = command('run', { parent_id: 'task', status: 'pending', permission: permission() });
    const drawn = draw([task(), READ, asks], { actions: { answerPermission } });
    const { store, view, card } = drawn;
    const question = within(card(/Running task/)).getByRole('group', {
      name: 'Permission request',
    });
    fireEvent.click(within(question).getByRole('button', { name: /Allow once/ }));
    expect(answerPermission).toHaveBeenCalledOnce();
    const answered = permission({ state: 'allowed', outcome: 'Allowed once' });
    void act(() => store.apply([replaced({ ...asks, permission: answered }, 11)]));
    expect(view.queryByRole('group', { name: 'Permission request' })).toBeNull();
    expect(words(card(/Running task/).querySelector('.acp-progress'))).toContain('Running command');
  });

  it('keeps its steps where it asks itself, or is a list of todos', () => {
    const asking = task({ status: 'pending', permission: permission() });
    const first = draw([asking, READ]);
    expect(first.card('Permission request')).toBeTruthy();
    expect(first.card(/Reading file/)).toBeTruthy();
    first.element.remove();
    const list = todoList('task', { status: 'in_progress' });
    expect(draw([list, READ]).card(/Reading file/)).toBeTruthy();
  });

  it('names who a deeper step was done for', async () => {
    const inner = task({ id: 'inner', parent_id: 'task', description: 'Look closer' });
    const deep = tool('deep', { parent_id: 'inner', description: 'deep.py' });
    const last = tool('last', { parent_id: 'task', description: 'last.py' });
    const opened = await openedCard(draw([task(), READ, inner, deep, last]), /Find usages/);
    const makers = [...opened.querySelectorAll('.acp-maker')].map(words);
    expect(makers).toEqual(['Running task Look closer', 'Running task Find usages']);
  });

  it('draws everything of several at once in one place', async () => {
    const drawn = drawGolden('turns/call_subagents', { live: true });
    const { card, element } = drawn;
    const asking = within(card('Running task Task 2'));
    expect(asking.getByRole('group', { name: 'Permission request' })).toBeTruthy();
    expect(words(card('Running task Task 1').querySelector('.acp-progress'))).toBe(
      'Searching content',
    );
    const first = await openedCard(drawn, /Task 1/);
    await openedCard(drawn, /Task 2/);
    const ids = [...element.querySelectorAll<HTMLElement>('[data-item]')].map(
      each => each.dataset.item,
    );
    expect(ids).toHaveLength(new Set(ids).size);
    expect(ids).toEqual(expect.arrayContaining(['i1', 'i2', 'i3', 'i6', 'i7', 'i8']));
    await waitFor(() => expect(words(first)).toContain('Only in a.py.'));
    expect(words(card('Running task Task 2'))).toContain('Nothing here.');
    expect(within(first).getByRole('group', { name: 'Running task Task 3' })).toBeTruthy();
  });

  it('mounts the newest of very many', async () => {
    const many = Array.from({ length: 250 }, (_, n) => tool(`s${n}`, { parent_id: 'task' }));
    const opened = await openedCard(draw([task(), ...many]), /Running task/);
    expect(opened.querySelectorAll('.acp-tool')).toHaveLength(100);
    fireEvent.click(within(opened).getByRole('button', { name: 'Show 150 earlier steps' }));
    await waitFor(() => expect(opened.querySelectorAll('.acp-tool')).toHaveLength(250));
  });
});
