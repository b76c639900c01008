import { describe, expect, it } from 'vitest';

import type { DeletedCell } from '../../documents/merge/deleted_cells';
import type { CellJson } from '../../documents/merge/notebook_json';
import type { CellStep, ChangedCell } from './changed_cells';
import { withDeleted } from './deletions';

const RANGE = { old_start: 1, old_end: 2, new_start: 1, new_end: 1 };

function cell(id: string, source: string, printed = 'from the file'): CellJson {
  return {
    ...{ id, cell_type: 'code', source, metadata: {}, execution_count: 1, attachments: null },
    outputs: [{ output_type: 'stream', name: 'stdout', text: printed }],
  };
}

function step(id: string, turnId: string): CellStep {
  return {
    ...{ turnId, path: 'n.ipynb', range: RANGE, cellId: id, above: [], agent: 'Demo', sure: false },
    ...{ before: cell(id, 'x'), after: null },
  };
}

function changed(id: string, turnId: string): ChangedCell {
  return { ...step(id, turnId), steps: [step(id, turnId)] };
}

function deleted(id: string, turn: string, over: Partial<DeletedCell> = {}): DeletedCell {
  const by = { turn, agent: 'demo', written: '' };
  return { cell: cell(id, 'x', 'on the screen'), above: ['a'], by, dismissed: false, ...over };
}

const name = (id: string) => `The ${id}`;

describe('cells that tools deleted, beside what finished turns changed', () => {
  it('are shown at once, under the name of the agent', () => {
    const { shown } = withDeleted([], [deleted('b', 't1')], name);
    expect(shown).toEqual([
      {
        ...{ cellId: 'b', before: cell('b', 'x', 'on the screen'), after: null, above: ['a'] },
        ...{ agent: 'The demo', sure: true, steps: [] },
      },
    ]);
  });

  it('are shown once when the turn has ended, with their outputs', () => {
    const { shown } = withDeleted([changed('b', 't1')], [deleted('b', 't1')], name);
    expect(shown).toHaveLength(1);
    expect(shown[0]).toMatchObject({ agent: 'Demo', sure: true, steps: [{ turnId: 't1' }] });
    expect(shown[0]?.before).toEqual(cell('b', 'x', 'on the screen'));
  });

  it('come back as before the turn, where that edited them first', () => {
    const own = deleted('b', 't1', { cell: cell('b', 'y') });
    const { shown } = withDeleted([changed('b', 't1')], [own], name);
    expect(shown[0]?.before).toEqual(cell('b', 'x'));
  });

  it('take the place of what an earlier turn did to them', () => {
    const earlier = { ...changed('b', 't0'), after: cell('b', 'z') };
    const { shown } = withDeleted([earlier, changed('c', 't0')], [deleted('b', 't1')], name);
    expect(shown.map(({ cellId, agent }) => [cellId, agent])).toEqual([
      ['c', 'Demo'],
      ['b', 'The demo'],
    ]);
  });

  it('stay dismissed when their turn ends', () => {
    const own = deleted('b', 't1', { dismissed: true });
    expect(withDeleted([], [own], name)).toEqual({ shown: [], kept: [] });
    const ended = withDeleted([changed('b', 't1')], [own], name);
    expect(ended).toEqual({ shown: [], kept: [step('b', 't1')] });
  });
});
