import { fireEvent, waitFor, within } from '@testing-library/preact';
import { afterEach, expect, it, test, vi } from 'vitest';

import { message, session, SESSION, tool, turn } from '../../../tests/support/build';
import { snapshot } from '../../../tests/support/events';
import { SessionStore } from '../../state/store';
import { DRAFT } from '../../state/ui';
import type { Item, TurnState } from '../../wire/types';
import type { Actions } from '../actions';
import type { Part } from '../props';
import { mountPart } from './part_view';

const drawn: (() => void)[] = [];

afterEach(() => {
  drawn.splice(0).forEach(dispose => dispose());
  document.body.replaceChildren();
});

const PLAN: Item = {
  kind: 'plan',
  id: 'p',
  turn_id: 't1',
  plan_id: '',
  text: '',
  entries: [
    { content: 'Read', priority: 'high', status: 'completed' },
    { content: 'Write', priority: 'low', status: 'pending' },
  ],
};

function show(
  part: Part,
  items: readonly Item[],
  turns: readonly TurnState[] = [turn()],
  over: Partial<Actions> = {},
  active: string | null = 't1',
) {
  const store = new SessionStore(SESSION);
  store.apply([snapshot(items, turns, session({ active_turn_id: active }))]);
  const element = document.createElement('div');
  document.body.append(element);
  const actions: Actions = {
    answerPermission: () => Promise.resolve(),
    cancel: () => Promise.resolve(),
    send: () => Promise.resolve(),
    setConfig: () => Promise.resolve(),
    ...over,
  };
  const mounted = mountPart(element, {
    store,
    part,
    turnId: '',
    actions,
    connection: { state: 'open' },
  });
  drawn.push(() => mounted.dispose());
  return { store, element, view: within(element) };
}

test.each<[Part, string]>([
  ['text', 'No text.'],
  ['plan', 'No plan.'],
  ['tool_calls', 'No tool calls.'],
  ['diffs', 'No changed files.'],
  ['permission', 'Nothing is asked.'],
])('%s says what is not there, while a turn runs and after it', (part, words) => {
  expect(show(part, [], []).element.textContent).toContain('No turn yet.');
  const done = turn({ status: 'done', stop_reason: 'end_turn' });
  expect(show(part, [], [done], {}, null).element.textContent).toContain(words);
  const running = show(part, []).element.textContent;
  expect(running).toContain(part === 'permission' ? words : 'Nothing yet.');
});

it('draws each part of a turn and nothing else of it', () => {
  const items = [message('m', 'The answer.'), PLAN, tool('r', { title: 'Read a.py' })];
  const texts = (['text', 'plan', 'tool_calls'] as const).map(
    part => show(part, items).element.textContent,
  );
  expect(texts[0]).toContain('The answer.');
  expect(texts[1]).toContain('Write');
  expect(texts[2]).toContain('Read a.py');
  for (const [index, words] of ['The answer.', 'Write', 'Read a.py'].entries()) {
    expect(texts.filter(text => text.includes(words))).toEqual([texts[index]]);
  }
});

it('goes on with the turn that runs', async () => {
  const first = turn({ status: 'done', stop_reason: 'end_turn' });
  const { store, element } = show('text', [message('m', 'First.')], [first], {}, null);
  expect(element.textContent).toContain('First.');
  const second = turn({ turn_id: 't2' });
  store.apply([
    { kind: 'turn_started', session_id: SESSION, seq: 1_000, turn: second },
    {
      kind: 'item_added',
      session_id: SESSION,
      seq: 1_001,
      index: 1,
      item: { ...message('n', 'Second.'), turn_id: 't2' },
    },
  ]);
  await waitFor(() => expect(element.textContent).toContain('Second.'));
  expect(element.textContent).not.toContain('First.');
});

it('sends with Enter and with Ctrl+Enter, and stops only what runs', async () => {
  const send = vi.fn(() => Promise.resolve());
  const { view } = show('composer', [], [], { send }, null);
  const box = view.getByRole('textbox', { name: 'Message' });
  expect(view.queryByRole('button', { name: 'Stop' })).toBeNull();
  for (const keys of [{ key: 'Enter' }, { key: 'Enter', ctrlKey: true }]) {
    fireEvent.input(box, { target: { value: 'hello' } });
    fireEvent.keyDown(box, keys);
    await waitFor(() => expect(box).toHaveProperty('value', ''));
  }
  expect(send.mock.calls).toEqual([
    [SESSION, 'hello', [], []],
    [SESSION, 'hello', [], []],
  ]);
  const running = show('session', [message('m', 'Hi')]);
  expect(running.view.getByRole('button', { name: 'Stop' })).toBeTruthy();
  expect(running.view.getByRole('log').textContent).toContain('Hi');
});

it('has a draft of its own where a store is set apart', () => {
  const store = new SessionStore(SESSION);
  const apart = store.apart();
  apart.ui.setValue(DRAFT, 'mine');
  store.apply([snapshot([message('m', 'Hi')], [turn()], session())]);
  expect(store.ui.value(DRAFT)).toBe('');
  expect(apart.view).toBe(store.view);
});
