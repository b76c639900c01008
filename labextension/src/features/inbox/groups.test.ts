import { expect, test } from 'vitest';

import type { SessionSummary } from '../../wire/types';
import { groupsOf } from './groups';

function summary(over: Partial<SessionSummary> = {}): SessionSummary {
  return {
    ...{ agent_id: 'demo', agent_name: 'Demo', can: [], notebook_path: '', read_only: '' },
    ...{ archived: false, branched_from: '', continues_in: '', serves_cells: false },
    ...{ is_variant: false, session_id: 's', status: 'idle', stored: false, title: 'Clean up' },
    ...{ updated_at: null, waiting: 0, background: 0 },
    ...over,
  };
}

function idsOf(sessions: readonly SessionSummary[]) {
  const { waiting, running, ended } = groupsOf(sessions);
  return [waiting, running, ended].map(group => group.map(({ session_id }) => session_id));
}

test('what waits longest comes first, and of the rest the newest', () => {
  const asks = { waiting: 1, status: 'requires_action' } as const;
  expect(
    idsOf([
      summary({ session_id: 'w2', ...asks, updated_at: 20 }),
      summary({ session_id: 'w1', ...asks, updated_at: 10 }),
      summary({ session_id: 'r1', status: 'running', updated_at: 10 }),
      summary({ session_id: 'r2', status: 'starting', updated_at: 20 }),
      summary({ session_id: 'e1', updated_at: 10 }),
      summary({ session_id: 'e2', status: 'stopped', stored: true, updated_at: 20 }),
    ]),
  ).toEqual([
    ['w1', 'w2'],
    ['r2', 'r1'],
    ['e2', 'e1'],
  ]);
});

test('work in the background runs, also while its session is idle', () => {
  expect(idsOf([summary({ background: 1 })])).toEqual([[], ['s'], []]);
});

test.each([
  ['archived', summary({ archived: true })],
  ['without a prompt', summary({ title: '' })],
])('a session that is %s is not listed', (_, session) => {
  expect(idsOf([session])).toEqual([[], [], []]);
});

test('what another server has open can not be answered here', () => {
  const open = {
    read_only: 'Open in another server',
    waiting: 1,
    status: 'requires_action',
  } as const;
  expect(idsOf([summary(open)])).toEqual([[], ['s'], []]);
});
