import { describe, expect, it } from 'vitest';

import { session, SESSION, tool, turn, TURN } from '../../../tests/support/build';
import { snapshot } from '../../../tests/support/events';
import { SessionStore } from '../../state/store';
import type { Item, SessionState, ToolCall } from '../../wire/types';
import { newestLocation, locationOf } from './agent_location';

const ROOT = '/home/user';

const OF_NOTEBOOK = session({ notebook_path: 'analysis/n.ipynb' });

function place(over: Partial<ToolCall>, of: SessionState = OF_NOTEBOOK) {
  return locationOf(tool('i1', { path: '', locations: [], ...over }), of, ROOT);
}

function newest(items: readonly Item[], over: Partial<SessionState> = {}) {
  const store = new SessionStore(SESSION);
  store.apply([snapshot(items, [turn()], session({ ...OF_NOTEBOOK, ...over }))]);
  return newestLocation(store.view, ROOT);
}

describe('where a call works', () => {
  it('is the cell that its arguments name, wherever the agent puts them', () => {
    const cell = { kind: 'cell', path: 'analysis/n.ipynb', cellId: 'c1' };
    expect(place({ raw_input: { cell_id: 'c1' } })).toEqual(cell);
    expect(place({ raw_input: { arguments: { cell_ids: ['c1', 'c2'] } } })).toEqual(cell);
    expect(place({ raw_input: { cell_id: 7 } })).toBeNull();
    expect(place({ raw_input: { cell_id: 'c1' } }, session({ notebook_path: '' }))).toBeNull();
  });

  it('is a file in the folder of the session, at its line', () => {
    const locations = [{ path: 'src/clean.py', line: 3 }];
    const file = { kind: 'file', path: 'analysis/src/clean.py', line: 3 };
    expect(place({ locations })).toEqual(file);
    expect(place({ path: 'src/clean.py' })).toEqual({ ...file, line: null });
  });

  it('is nowhere outside the folder, and in no file of a notebook', () => {
    for (const path of ['../other.py', '/etc/passwd', 'src/../../other.py', '.', 'n.ipynb']) {
      expect(place({ locations: [{ path, line: 1 }] })).toBeNull();
    }
    expect(place({ locations: [{ path: '/home/user/analysis-2/a.py', line: 1 }] })).toBeNull();
  });

  it('is that of the newest call of the running turn that has one', () => {
    const none = { path: '', locations: [], turn_id: TURN };
    const items = [tool('a', { ...none, raw_input: { cell_id: 'c1' } }), tool('b', none)];
    expect(newest(items)).toEqual({ kind: 'cell', path: 'analysis/n.ipynb', cellId: 'c1' });
    expect(newest(items, { active_turn_id: null })).toBeNull();
  });
});
