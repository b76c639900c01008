import { describe, expect, it } from 'vitest';

import { identity as t } from '../../../views/i18n';
import type { StaleCause } from '../../../wire/types';
import type { CellStep } from '../../../lab/review/cells/changed_cells';
import { newestRuns, staleWords, touchOf } from './stale_texts';

const RANGE = { old_start: 0, old_end: 1, new_start: 0, new_end: 1 };

function step(cellId: string, was: string | null, is: string | null, sure = true): CellStep {
  const cell = (source: string | null) =>
    source === null
      ? null
      : {
          ...{ id: cellId, cell_type: 'code' as const, source, metadata: {} },
          ...{ outputs: [], execution_count: 1, attachments: null },
        };
  const turn = { turnId: 't', path: 'book.ipynb', range: RANGE, above: [], agent: 'Claude', sure };
  return { ...turn, cellId, before: cell(was), after: cell(is) };
}

function cause(change: StaleCause['change'], path: StaleCause['path'], run: number | null = 0) {
  return { cell_id: 'a', change, path, run } satisfies StaleCause;
}

const DIRECT = [{ name: 'df', cell_id: 'a' }];
const FAR = [{ name: 'total', cell_id: 'b' }, ...DIRECT];

/** Why a cell is stale: cell `a` ran with `ran` and now contains `now`. */
function why(
  what: StaleCause,
  steps: readonly CellStep[],
  { ran = 'df = 1', now = 'df = 2' }: { ran?: string; now?: string | null } = {},
): string | null {
  const cells = {
    number: (id: string) => (id === 'a' ? (now === null ? null : 1) : 2),
    source: () => now,
  };
  const runs = [{ cell_id: 'a', source: ran, kernel: 0 }];
  const touch = touchOf(what, runs, steps, cells);
  return touch === null ? null : staleWords(what, touch, cells, t);
}

describe('why a cell is stale', () => {
  const changed = [step('a', 'df = 1', 'df = 2')];

  it('names the agent that changed the cell itself, or what it uses', () => {
    expect(why(cause('changed', []), changed)).toBe('changed by Claude after it ran');
    expect(why(cause('changed', DIRECT), changed)).toBe(
      'uses df, which cell 1 sets; cell 1 was changed by Claude',
    );
    expect(why(cause('changed', FAR), changed)).toBe(
      'uses total of cell 2, which depends on cell 1; cell 1 was changed by Claude',
    );
  });

  it('says of an uncertain change only that it was made during the turn', () => {
    const unsure = [step('a', 'df = 1', 'df = 2', false)];
    expect(why(cause('changed', []), unsure)).toBe('changed during a turn of Claude after it ran');
  });

  it('tells a revert from a change', () => {
    const back = { ran: 'df = 2', now: 'df = 1' };
    expect(why(cause('changed', DIRECT), changed, back)).toContain('cell 1 was reverted');
    const added = [step('a', null, 'df = 2')];
    expect(why(cause('deleted', DIRECT), added, { ran: 'df = 2', now: null })).toBe(
      'uses df of a cell that was reverted',
    );
  });

  it('tells of cells that were deleted, or came between', () => {
    const deleted = [step('a', 'df = 1', null)];
    expect(why(cause('deleted', FAR), deleted, { now: null })).toContain(
      'a cell that was deleted by Claude',
    );
    const added = [step('a', null, 'df = 2')];
    expect(why(cause('set_elsewhere', DIRECT, null), added)).toContain('added by Claude');
  });

  it('is silent about what the user edited', () => {
    expect(why(cause('changed', DIRECT), [])).toBeNull();
    expect(why(cause('changed', DIRECT), [step('b', 'df = 1', 'df = 2')])).toBeNull();
    const since = { ran: 'df = 2', now: 'df = 3' };
    expect(why(cause('changed', DIRECT), changed, since)).toBeNull();
  });

  it('counts the change of an agent that the user has edited since', () => {
    expect(why(cause('changed', DIRECT), changed, { now: 'df = 3' })).toContain('by Claude');
  });
});

it('leaves out the oldest runs where all of them would be too long', () => {
  const runs = ['a', 'b', 'c'].map(id => ({ cell_id: id, source: id.repeat(10), kernel: 0 }));
  expect(newestRuns(runs, 30)).toEqual(runs);
  expect(newestRuns(runs, 29).map(run => run.cell_id)).toEqual(['b', 'c']);
  expect(newestRuns(runs, 9)).toEqual([]);
});
