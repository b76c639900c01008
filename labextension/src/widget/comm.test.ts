import { expect, test, vi } from 'vitest';

import { edit, message, permission, session, SESSION, turn, TURN } from '../../tests/support/build';
import { snapshot as whole } from '../../tests/support/events';
import { appended, snapshot } from '../../tests/support/fake_socket';
import { API_VERSION } from '../wire/types';
import { openWidgetTurn } from './widget_turn';

const noServer = () => null;

/** A widget's model in the page; it records what it sends. */
class FakeModel {
  readonly sent: unknown[] = [];
  readonly #listeners = new Map<string, Set<(message: unknown) => void>>();
  readonly #state: Record<string, unknown> = {
    turn_id: 't1',
    session_id: 'a',
    mode: 'comm',
    api_version: API_VERSION,
    notebook_path: '',
    cell_id: '',
  };

  constructor(change: Record<string, unknown> = {}) {
    Object.assign(this.#state, change);
  }

  get(name: string): unknown {
    return this.#state[name];
  }
  set(name: string, value: unknown): void {
    this.#state[name] = value;
    this.tell(`change:${name}`, undefined);
  }
  on(event: string, listener: (message: unknown) => void): void {
    this.#listeners.set(event, (this.#listeners.get(event) ?? new Set()).add(listener));
  }
  off(event: string, listener: (message: unknown) => void): void {
    this.#listeners.get(event)?.delete(listener);
  }
  send(content: unknown): void {
    this.sent.push(content);
  }
  receive(n: number, frame: unknown): void {
    this.tell('msg:custom', { n, frame });
  }
  tell(event: string, message: unknown): void {
    this.#listeners.get(event)?.forEach(listener => listener(message));
  }
  get listening(): number {
    return [...this.#listeners.values()].reduce((sum, { size }) => sum + size, 0);
  }
}

const hello = {
  type: 'hello',
  api_version: API_VERSION,
  version: '1',
  epoch: 'e1',
  user: '',
  sessions: [],
};

const events = (...list: unknown[]) => ({ type: 'events', session_id: 'a', events: list });

const subscribe = (after: number | null, epoch: string) => ({
  frame: { type: 'subscribe', session_id: 'a', after, epoch },
});

test('what the kernel sends before any view is drawn by the view that comes', () => {
  const model = new FakeModel();
  const link = openWidgetTurn(model, noServer);
  expect(model.sent).toEqual([{ open: true }]);
  expect(link.turn()).toBeNull();
  model.receive(0, hello);
  model.receive(1, events(snapshot('a', 1, 'early ')));
  model.receive(2, events(appended('a', 2, 6, 'bird')));
  const store = link.turn()?.store;
  expect(store?.view.seq).toBe(2);
  const texts = [...(store?.view.growth.values() ?? [])];
  expect(JSON.stringify(texts)).toContain('bird');
  expect(model.sent).toContainEqual(subscribe(null, ''));
  link.dispose();
  expect(model.listening).toBe(0);
});

test('a view hears of the store when it comes, and not of every chunk', () => {
  const model = new FakeModel();
  const link = openWidgetTurn(model, noServer);
  let calls = 0;
  link.watch(() => (calls += 1));
  model.receive(0, hello);
  model.receive(1, events(snapshot('a', 1, '')));
  const before = calls;
  model.receive(2, events(appended('a', 2, 0, 'x')));
  expect(calls).toBe(before);
  expect(link.turn()).not.toBeNull();
});

test('a lost message leads to a fresh snapshot, though the events seem to follow', () => {
  const model = new FakeModel();
  openWidgetTurn(model, noServer);
  model.receive(5, hello); // a page that was opened late: no gap
  model.receive(6, events(snapshot('a', 1, '')));
  const asked = () => model.sent.filter(each => JSON.stringify(each).includes('"subscribe"'));
  expect(asked()).toHaveLength(1);
  model.receive(8, events(appended('a', 9, 0, 'x')));
  expect(asked()).toHaveLength(2);
  expect(asked().pop()).toEqual(subscribe(null, ''));
});

test('commands go as custom messages and come back by id', async () => {
  const model = new FakeModel();
  const { client } = openWidgetTurn(model, noServer);
  model.receive(0, hello);
  const cancelled = client?.run({ name: 'cancel', session_id: 'a', turn_id: 't1' });
  const sent = JSON.stringify(model.sent.pop());
  expect(sent).toContain('"name":"cancel"');
  const id = Number(/"id":(\d+)/.exec(sent)?.[1]);
  model.receive(1, { type: 'reply', id, result: null, error: null });
  await expect(cancelled).resolves.toBeNull();
});

test('a kernel that calls is answered once the widget is in the page', () => {
  const model = new FakeModel();
  const link = openWidgetTurn(model, noServer);
  const answers = () => model.sent.filter(each => JSON.stringify(each) === '{"shown":true}');
  model.tell('msg:custom', { call: true });
  expect(answers()).toHaveLength(0);
  link.shown();
  link.shown();
  expect(answers()).toHaveLength(1);
  model.tell('msg:custom', { call: true });
  expect(answers()).toHaveLength(2);
});

test('views hear of a question that is asked below', () => {
  const model = new FakeModel();
  const link = openWidgetTurn(model, noServer);
  let calls = 0;
  link.watch(() => (calls += 1));
  model.set('asked_below', true);
  expect([calls, link.askedBelow()]).toEqual([1, true]);
});

test('a turn ends with its kernel, and nothing of it goes on', () => {
  const model = new FakeModel({ session_id: SESSION, turn_id: TURN });
  const link = openWidgetTurn(model, noServer);
  const items = [
    message('m', 'half a', true),
    edit('e', { status: 'pending', permission: permission() }),
  ];
  model.receive(0, hello);
  model.receive(1, {
    type: 'events',
    session_id: SESSION,
    events: [whole(items, [turn()], session())],
  });
  const shown = () => link.turn()?.store.view.turns.get(TURN);
  expect(shown()?.status).toBe('running');
  model.tell('comm_live_update', undefined);
  expect(shown()?.status).toBe('done');
  expect(shown()?.words).toContain('The kernel was restarted');
  expect(link.turn()?.live).toBe(false);
  const after = JSON.stringify([...(link.turn()?.store.view.items.values() ?? [])]);
  expect(after).not.toContain('"open":true');
  expect(after).toContain('Expired: kernel restarted');
  expect(after).not.toContain('"state":"pending"');
});

test('no message harms it', () => {
  const model = new FakeModel();
  const link = openWidgetTurn(model, noServer);
  for (const [n, frame] of [null, 3, 'x', [], { type: 'events' }, { type: 'nonsense' }].entries()) {
    model.receive(n, frame);
  }
  model.receive(6, hello);
  expect(link.client?.connection.state).toBe('open');
});

test('another version, and a page without server, are said in words', () => {
  const other = openWidgetTurn(new FakeModel({ api_version: 99 }), noServer);
  expect(other.problem()).toContain('Run the cell again');
  const nowhere = openWidgetTurn(new FakeModel({ mode: 'server' }), noServer);
  expect(nowhere.client).toBeNull();
  expect(nowhere.problem()).toContain('JupyterLab');
});

test('a widget whose kernel is gone says so, and one whose kernel answers late is drawn', () => {
  vi.useFakeTimers();
  const model = new FakeModel();
  const widget = openWidgetTurn(model, noServer);
  expect(widget.problem()).toBe('');
  vi.advanceTimersByTime(6_000);
  expect(widget.problem()).toContain('The kernel does not send this turn');
  expect(widget.turn()).toBeNull();
  model.receive(0, hello);
  model.receive(1, events(snapshot('a', 1, '')));
  expect(widget.turn()).not.toBeNull();
  widget.dispose();
  vi.useRealTimers();
});
