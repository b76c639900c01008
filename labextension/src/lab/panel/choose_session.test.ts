import { expect, test } from 'vitest';

import type { SessionSummary } from '../../wire/types';
import { newestOf } from './choose_session';

const PATH = 'a.ipynb';

function session(id: string, over: Partial<SessionSummary>): SessionSummary {
  return {
    ...{ session_id: id, title: id, agent_id: 'demo', agent_name: 'Demo', status: 'idle' },
    ...{ notebook_path: PATH, waiting: 0, background: 0, stored: false, read_only: '' },
    ...{ archived: false, branched_from: '', continues_in: '', can: [], serves_cells: false },
    ...{ is_variant: false, updated_at: null },
    ...over,
  };
}

test('a notebook is shown with the session of its cells, not with an ended variant', () => {
  const own = session('own', { updated_at: 1 });
  const older = session('older', { updated_at: 0 });
  const variant = session('variant', { updated_at: 9, is_variant: true });
  expect(newestOf([older, variant, own], PATH, true)?.session_id).toBe('own');
  expect(newestOf([variant], PATH, true)?.session_id).toBe('variant');
});
