import { expect, it } from 'vitest';

import { agentEntry } from '../../../tests/support/build';
import { makeClient, session, snapshot, turnState } from '../../../tests/support/fake_socket';
import { until } from '../../../tests/support/wait';
import { identity } from '../../views/i18n';
import type { Command, SessionSummary } from '../../wire/types';
import { ownSession } from './own_session';

const TITLE = 'Next cells of a.ipynb';

const KNOWN: SessionSummary = {
  ...{ session_id: 'old', agent_id: 'demo', agent_name: 'Demo', can: [], notebook_path: '' },
  ...{
    read_only: '',
    archived: false,
    branched_from: '',
    continues_in: '',
    serves_cells: false,
    is_variant: false,
  },
  ...{ status: 'idle', stored: false, title: TITLE, updated_at: 0, waiting: 0, background: 0 },
};

/** Asks for the session where one is known, and returns it with the commands that were sent. */
async function ask(policy: 'ask' | 'deny', turns: number) {
  const { client, sockets } = makeClient();
  const [socket] = sockets;
  if (socket === undefined) {
    throw new Error('no socket');
  }
  socket.hello([KNOWN]);
  const states = {
    old: session('old', { policy, title: TITLE }),
    new: session('new', { policy: 'deny', title: TITLE }),
  };
  const ended = Array.from({ length: turns }, (_, index) => turnState(`t${index}`, 'done'));
  const results: Partial<Record<Command['name'], unknown>> = {
    list_agents: [agentEntry({ id: 'demo' })],
    create_session: states.new,
  };
  const parts = {
    client,
    startsWith: { agent: 'demo', policy: 'ask' as const, sandbox: null },
    t: identity,
  };
  let found = '';
  const asked = ownSession(parts, 'a.ipynb').then(({ store }) => {
    found = store.sessionId;
  });
  let answered = 0;
  await until(() => {
    for (const { id, command } of socket.of('command').slice(answered)) {
      answered += 1;
      socket.receive({ type: 'reply', id, result: results[command.name] ?? null, error: null });
    }
    for (const id of ['old', 'new'] as const) {
      if (client.followedIds.includes(id)) {
        socket.events(id, { ...snapshot(id, 1), session: states[id], turns: ended });
      }
    }
    expect(found).not.toBe('');
  });
  await asked;
  client.dispose();
  return { found, commands: socket.of('command').map(({ command }) => command) };
}

it('goes on in the session that is there', async () => {
  const { found, commands } = await ask('deny', 3);
  expect(found).toBe('old');
  expect(commands.map(({ name }) => name)).toEqual(['list_agents']);
});

it.each([
  ['whose policy the user has changed', 'ask', 3],
  ['that is long', 'deny', 20],
] as const)('keeps a session %s, and starts another', async (_, policy, turns) => {
  const { found, commands } = await ask(policy, turns);
  expect(found).toBe('new');
  expect(commands).toMatchObject([
    { name: 'list_agents' },
    { name: 'set_config', session_id: 'old', title: 'Earlier next cells of a.ipynb' },
    { name: 'create_session', policy: 'deny', tools: false },
    { name: 'set_config', session_id: 'new', title: TITLE },
  ]);
  expect(commands[1]).not.toHaveProperty('policy');
});
