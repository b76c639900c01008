import { describe, expect, it } from 'vitest';

import { planMerge, applied } from './merge_cells';
import type { OpenCell } from './merge_cells';
import { known } from './notebook_json';

function cell(id: string, source: string, more: Partial<OpenCell> = {}): OpenCell {
  return {
    id,
    cell_type: 'code',
    source,
    metadata: {},
    outputs: [],
    execution_count: null,
    attachments: null,
    running: false,
    ...more,
  };
}

const out = [{ output_type: 'stream', name: 'stdout', text: 'hi' }];

function restored(base: OpenCell[], mine: OpenCell[], theirs: OpenCell[]) {
  return applied(mine, planMerge(base.map(known), mine, theirs)).map(
    ({ id, source, outputs }) => `${id} ${source} ${outputs.length}`,
  );
}

describe('planned', () => {
  it('holds what was typed, what the agent changed, and the outputs it left out', () => {
    const base = [cell('a', '1', { outputs: out }), cell('b', '2'), cell('c', '3')];
    const mine = [cell('a', '1', { outputs: out }), cell('b', 'typed'), cell('c', '3')];
    const theirs = [cell('a', '1'), cell('b', '2'), cell('c', 'agent'), cell('d', 'new')];
    expect(restored(base, mine, theirs)).toEqual(['a 1 1', 'b typed 0', 'c agent 0', 'd new 0']);
  });

  it('keeps a cell that was added and not saved, and lets go what the agent deleted', () => {
    const base = [cell('a', '1'), cell('b', '2')];
    const mine = [cell('a', '1'), cell('mine', 'x'), cell('b', '2')];
    expect(restored(base, mine, [cell('a', '1')])).toEqual(['a 1 0', 'mine x 0']);
  });

  it('takes the newer outputs', () => {
    const base = [cell('a', '1')];
    expect(restored(base, base, [cell('a', '1', { outputs: out })])).toEqual(['a 1 1']);
  });
});
