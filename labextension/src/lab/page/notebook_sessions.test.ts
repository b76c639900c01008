import { describe, expect, it } from 'vitest';

import type { SessionSummary } from '../../wire/types';
import { sessionOf } from './notebook_sessions';

function session(id: string, agent: string, more: Partial<SessionSummary> = {}): SessionSummary {
  return {
    session_id: id,
    agent_id: agent,
    agent_name: agent === 'claude' ? 'Claude Code' : 'Demo',
    can: [],
    notebook_path: 'a.ipynb',
    read_only: '',
    archived: false,
    branched_from: '',
    continues_in: '',
    serves_cells: false,
    is_variant: false,
    status: 'idle',
    stored: false,
    title: '',
    updated_at: 0,
    waiting: 0,
    background: 0,
    ...more,
  };
}

describe('the session that a prompt goes to', () => {
  const sessions = [
    session('old', 'demo', { updated_at: 1 }),
    session('cells', 'demo', { updated_at: 2, serves_cells: true }),
    session('new', 'demo', { updated_at: 3, title: 'my talk' }),
    session('claude', 'claude', { updated_at: 4 }),
    session('other', 'demo', { updated_at: 5, notebook_path: 'b.ipynb', serves_cells: true }),
  ];

  it.each([
    ['%%acp demo\nHi', 'cells'],
    ['%%time\n%%acp demo --policy ask', 'cells'],
    ['%%acp "Claude Code"\nHi', 'claude'],
    ['%%acp --policy ask claude', 'claude'],
    ['%%acp demo --session "my talk"', 'new'],
    ['%%acp demo --session=gone', undefined],
    ['%%acp', 'cells'],
    ['%%acp gemini', undefined],
  ])('of %j', (source, id) => {
    expect(sessionOf(source, 'a.ipynb', sessions)?.session_id).toBe(id);
  });
});
