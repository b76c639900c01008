import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import {
  appended,
  makeClient,
  session,
  snapshot,
  toolCall,
  turnState,
} from '../../tests/support/fake_socket';
import type { FakeSocket } from '../../tests/support/fake_socket';
import { until } from '../../tests/support/wait';
import { API_VERSION } from '../wire/types';
import type { Permission } from '../wire/types';
import { expireTurn, LiveTurn } from './live_turn';

const CANCEL = { name: 'cancel', session_id: 'a' } as const;

const ANSWER = {
  name: 'answer_permission',
  ...{ session_id: 'a', request_id: 'p1', option_id: 'yes' },
} as const;

function last(sockets: FakeSocket[]): FakeSocket {
  const socket = sockets[sockets.length - 1];
  if (socket === undefined) {
    throw new Error('no socket was opened');
  }
  return socket;
}

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'requestAnimationFrame', 'Date'],
  });
});

afterEach(() => {
  vi.useRealTimers();
});

test('many sessions share one socket, and each follower its store', () => {
  const { client, sockets } = makeClient();
  const first = client.follow('a');
  const again = client.follow('a');
  client.follow('b');
  last(sockets).hello();
  expect(sockets).toHaveLength(1);
  expect(last(sockets).url).toBe('acp-jupyter/api/stream');
  expect(last(sockets).of('subscribe')).toEqual([
    { type: 'subscribe', session_id: 'a', after: null, epoch: '' },
    { type: 'subscribe', session_id: 'b', after: null, epoch: '' },
  ]);
  expect(again.store).toBe(first.store);
  last(sockets).events('a', snapshot('a', 3, 'of a'));
  last(sockets).events('b', snapshot('b', 5, 'of b'));
  expect(first.store.view.items.get('m1')).toMatchObject({ text: 'of a' });

  first.dispose();
  first.dispose();
  expect(last(sockets).of('unsubscribe')).toEqual([]);
  again.dispose();
  expect(last(sockets).of('unsubscribe')).toEqual([{ type: 'unsubscribe', session_id: 'a' }]);
});

test('a connection that may be dead is replaced at once, and resumes where the store stands', () => {
  const { client, sockets } = makeClient();
  client.follow('a');
  last(sockets).hello();
  last(sockets).events('a', snapshot('a', 3, 'of a'));
  client.renew();
  expect(sockets).toHaveLength(2);
  last(sockets).hello();
  expect(client.connection.state).toBe('open');
  expect(last(sockets).of('subscribe')).toMatchObject([{ session_id: 'a', after: 3 }]);
});

test('after a loss it resumes where the store stands, with growing waits', () => {
  const { client, sockets } = makeClient();
  const states: string[] = [];
  client.connectionChanged.add(({ state }) => states.push(state));
  client.follow('a');
  last(sockets).hello();
  last(sockets).events('a', snapshot('a', 7, 'abc'));
  last(sockets).close();
  expect(client.connection).toMatchObject({ state: 'lost' });
  for (const most of [1.2, 2.4, 4.8, 9.6, 18, 18]) {
    const { retryAt } = client.connection.state === 'lost' ? client.connection : { retryAt: 0 };
    const wait = (retryAt ?? 0) - Date.now();
    expect(wait).toBeLessThanOrEqual(most * 1000);
    expect(wait).toBeGreaterThanOrEqual((most * 1000 * 0.8) / 1.2);
    const count = sockets.length;
    vi.advanceTimersByTime(wait);
    expect(sockets).toHaveLength(count + 1);
    last(sockets).close();
  }
  client.reconnect();
  last(sockets).hello();
  expect(last(sockets).of('subscribe')).toEqual([
    { type: 'subscribe', session_id: 'a', after: 7, epoch: 'e1' },
  ]);
  expect(states.pop()).toBe('open');
  // After a hello the waits start again from the first.
  last(sockets).close();
  vi.advanceTimersByTime(1200);
  expect(client.connection.state).toBe('connecting');
});

test('a host that never says hello is tried again', () => {
  const { sockets } = makeClient();
  vi.advanceTimersByTime(10_000);
  expect(last(sockets).readyState).toBe(3);
  vi.advanceTimersByTime(1200);
  expect(sockets).toHaveLength(2);
});

test('a gap leads to one fresh snapshot', () => {
  const { client, sockets } = makeClient();
  const { store } = client.follow('a');
  last(sockets).hello();
  last(sockets).events('a', snapshot('a', 1, 'abc'));
  last(sockets).events('a', appended('a', 3, 9, 'x'));
  last(sockets).events('a', appended('a', 4, 10, 'y'));
  expect(last(sockets).of('subscribe').slice(1)).toEqual([
    { type: 'subscribe', session_id: 'a', after: null, epoch: '' },
  ]);
  last(sockets).events('a', snapshot('a', 4, 'abcdefghixy'));
  expect(store.view.stale).toBe(false);
  last(sockets).events('a', appended('a', 6, 99, 'z'));
  expect(last(sockets).of('subscribe')).toHaveLength(3);
});

test('what was drawn is acknowledged once a frame and session', () => {
  const { client, sockets } = makeClient();
  client.follow('a');
  client.follow('b');
  last(sockets).hello();
  last(sockets).events('a', snapshot('a', 1, ''));
  for (let seq = 2; seq <= 40; seq++) {
    last(sockets).events('a', appended('a', seq, seq - 2, 'x'));
  }
  last(sockets).events('b', snapshot('b', 8, ''));
  expect(last(sockets).of('ack')).toEqual([]);
  vi.advanceTimersByTime(40);
  expect(last(sockets).of('ack')).toEqual([
    { type: 'ack', session_id: 'a', seq: 40 },
    { type: 'ack', session_id: 'b', seq: 8 },
  ]);
  vi.advanceTimersByTime(1000);
  expect(last(sockets).of('ack')).toHaveLength(2);
});

test('a command is answered by the reply of its id', async () => {
  const { client, sockets } = makeClient();
  const made = client.createSession({ agent: 'demo' });
  const sent = client.run(CANCEL);
  last(sockets).hello(); // what was asked while it connected is sent now
  await Promise.resolve();
  const [create, cancel] = last(sockets).of('command');
  expect(create?.command).toMatchObject({ name: 'create_session', agent: 'demo', ask_trust: true });
  const error = {
    message: 'No such turn.',
    reason: 'unknown_turn',
    detail: '',
    status: 404,
    fields: {},
  };
  last(sockets).receive({ type: 'reply', id: cancel?.id ?? 0, result: null, error });
  last(sockets).receive({
    type: 'reply',
    id: create?.id ?? 0,
    result: { ...session('s9') },
    error: null,
  });
  await expect(made).resolves.toMatchObject({ session_id: 's9' });
  await expect(sent).rejects.toThrow('No such turn.');
});

test('a command without answer ends with a sentence', async () => {
  const { client, sockets } = makeClient();
  last(sockets).hello();
  const sent = client.run(CANCEL);
  const outcome = expect(sent).rejects.toThrow('has not answered for 30 seconds');
  await vi.advanceTimersByTimeAsync(30_000);
  await outcome;
});

test('commands under way or made while the connection is lost fail at once', async () => {
  const { client, sockets } = makeClient();
  last(sockets).hello();
  const answered = client.run(ANSWER);
  await Promise.resolve();
  last(sockets).close();
  await expect(answered).rejects.toThrow('The connection was lost before');
  await expect(client.run(ANSWER)).rejects.toThrow('was not sent');
  client.reconnect();
  last(sockets).hello();
  expect(last(sockets).of('command')).toEqual([]);
});

test('another version is said, and not tried again by itself', async () => {
  const { client, sockets } = makeClient();
  last(sockets).hello([], API_VERSION + 1);
  expect(client.connection).toMatchObject({ state: 'lost', retryAt: null });
  await expect(client.run(CANCEL)).rejects.toThrow('pip install --upgrade acp-jupyter');
  vi.advanceTimersByTime(60_000);
  expect(sockets).toHaveLength(1);
});

test.each([
  [403, 'Log in again'],
  [404, 'pip install acp-jupyter'],
  [200, 'proxy'],
])('a WebSocket that does not open is explained: %i', async (status, words) => {
  const { client, sockets } = makeClient(status);
  last(sockets).close();
  await until(() => {
    const { connection } = client;
    expect(connection.state === 'lost' ? connection.failure?.message : '').toContain(words);
  });
  vi.advanceTimersByTime(2_000);
  // If there is nothing to connect to, only the user can try again.
  expect(sockets).toHaveLength(status === 404 ? 1 : 2);
  client.reconnect();
  expect(sockets).toHaveLength(2);
});

test('held documents are told on every connection', () => {
  const { client, sockets } = makeClient();
  const documents = [{ path: 'a.ipynb', dirty: true, focused_at: 1 }];
  client.hold(documents);
  last(sockets).hello();
  last(sockets).close();
  client.reconnect();
  last(sockets).hello();
  expect(last(sockets).of('documents')).toEqual([{ type: 'documents', documents }]);
});

test('an ask is handed on, and its answer sent', () => {
  const { client, sockets } = makeClient();
  last(sockets).hello();
  client.asked.add(({ id, path }) =>
    client.answer({
      type: 'answer',
      id,
      text: path,
      notebook: null,
      refusal: null,
      error: null,
      reason: '',
    }),
  );
  const question = { op: 'read_document' } as const;
  last(sockets).receive({ type: 'ask', id: 7, path: 'a.py', deadline_seconds: 5, question });
  expect(last(sockets).of('answer')).toMatchObject([{ id: 7, text: 'a.py', error: null }]);
});

test('a turn is live only while the host confirms its cell', async () => {
  const { client, sockets } = makeClient();
  const shown: (boolean | null)[] = [];
  const place = { turnId: 't1', notebookPath: 'n.ipynb', cellId: 'c1' };
  const live = new LiveTurn(client, place, turn => shown.push(turn?.live ?? null));
  last(sockets).hello();
  const error = { message: 'no', reason: 'unknown_turn', detail: '', status: 404, fields: {} };
  await until(() => expect(last(sockets).of('command')).toHaveLength(1));
  last(sockets).receive({
    type: 'reply',
    id: last(sockets).of('command')[0]?.id ?? 0,
    result: null,
    error,
  });
  await vi.advanceTimersByTimeAsync(1000);
  expect(shown).toEqual([null]);
  expect(live.refusal).toBe('no');
  expect(last(sockets).of('subscribe')).toEqual([]);

  last(sockets).close();
  client.reconnect();
  last(sockets).hello();
  await until(() => expect(last(sockets).of('command')).toHaveLength(1));
  const turn = { turn_id: 't1', session_id: 'a', status: 'running' };
  last(sockets).receive({
    type: 'reply',
    id: last(sockets).of('command')[0]?.id ?? 0,
    result: { session_id: 'a', first_index: 0, turn },
    error: null,
  });
  await until(() => expect(last(sockets).of('subscribe')).toHaveLength(1));
  expect(shown).toEqual([null]);
  last(sockets).events('a', snapshot('a', 1, 'hi'));
  await until(() => expect(shown).toEqual([null, true]));
  last(sockets).receive({ type: 'error', session_id: 'a', error });
  expect(shown).toEqual([null, true, false]);
  live.dispose();
});

test('a turn that the host has forgotten ends in the page, its question with it', () => {
  const { client, sockets } = makeClient();
  const { store } = client.follow('a');
  last(sockets).hello();
  const permission: Permission = {
    request_id: 'p1',
    state: 'pending',
    title: 'May I?',
    reason: '',
    folder: '',
    details: [],
    cautions: [],
    text_differs: false,
    too_large: false,
    options: [],
    chosen: '',
    outcome: '',
    without_user: false,
    answered_by: '',
    rule: '',
    wider_rules: [],
    asked_at: null,
  };
  last(sockets).events('a', {
    ...snapshot('a', 1),
    turns: [turnState('t1', 'requires_action')],
    items: [toolCall('c1', 't1', permission), toolCall('c0', 't0', null)],
    total: 2,
  });
  expireTurn(store, 't1');
  const call = store.view.items.get('c1');
  expect(call).toMatchObject({ status: 'cancelled', permission: { state: 'expired' } });
  expect(store.view.items.get('c0')).toMatchObject({ status: 'pending' });
  expect(store.view.turns.get('t1')).toMatchObject({ status: 'done', stop_reason: 'error' });
  const before = store.view;
  expireTurn(store, 't1');
  expect(store.view).toBe(before);
});

test('a notebook full of turns does not ask for all of them at once', async () => {
  const { client, sockets } = makeClient();
  last(sockets).hello();
  const asked = Array.from({ length: 40 }, (_, index) =>
    client
      .run({ name: 'attach_turn', turn_id: `t${index}`, notebook_path: 'n.ipynb', cell_id: 'c' })
      .catch(() => 'refused'),
  );
  const error = { message: 'no', reason: 'unknown_turn', detail: '', status: 404, fields: {} };
  let most = 0;
  for (let answered = 0; answered < 40;) {
    await vi.advanceTimersByTimeAsync(1);
    const open = last(sockets).of('command').slice(answered);
    most = Math.max(most, open.length);
    expect(open.length).toBeGreaterThan(0);
    last(sockets).receive({ type: 'reply', id: open[0]?.id ?? 0, result: null, error });
    answered += 1;
  }
  expect(most).toBe(16);
  expect(await Promise.all(asked)).toEqual(Array(40).fill('refused'));
});
