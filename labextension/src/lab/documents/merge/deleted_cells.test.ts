import { describe, expect, it, vi } from 'vitest';

import { DeletedCells, deletedCells } from './deleted_cells';
import type { CellJson } from './notebook_json';

const BY = { turn: 't', agent: 'demo', written: '' };

function cell(id: string, printed = ''): CellJson {
  return {
    ...{ id, cell_type: 'code', source: id, metadata: {}, execution_count: 1, attachments: null },
    outputs: [{ output_type: 'stream', name: 'stdout', text: printed }],
  };
}

/** Deletes cells of `abcd` in an order, and returns the cells that were above each. */
function above(order: string): Record<string, string> {
  const deleted = new DeletedCells();
  let ids = ['a', 'b', 'c', 'd'];
  for (const id of order) {
    deleted.add(cell(id), ids, BY);
    ids = ids.filter(each => each !== id);
  }
  return Object.fromEntries(deleted.all.map(each => [each.cell.id, each.above.join('')]));
}

describe('cells that tools deleted', () => {
  it('know their places, in whatever order they went', () => {
    for (const order of ['bcd', 'bdc', 'cbd', 'cdb', 'dbc', 'dcb']) {
      expect(above(order)).toEqual({ b: 'a', c: 'ab', d: 'abc' });
    }
    expect(above('ab')).toEqual({ a: '', b: 'a' });
  });

  it('are few, with outputs of a bounded size', () => {
    const deleted = new DeletedCells();
    deleted.add(cell('long', 'x'.repeat(3_000_000)), ['long'], BY);
    expect(deleted.all[0]?.cell.outputs).toEqual([]);
    for (let number = 0; number < 60; number += 1) {
      deleted.add(cell(`${number}`), [`${number}`], BY);
    }
    expect(deleted.all.map(each => each.cell.id)).toEqual(
      Array.from({ length: 50 }, (_, index) => `${index + 10}`),
    );
  });

  it('are told of once, dismissed and forgotten; all views of a notebook know them', () => {
    const notebook = {};
    const deleted = deletedCells(notebook);
    const changed = vi.fn();
    deleted.changed.add(changed);
    deleted.add(cell('a'), ['a'], BY);
    deleted.dismiss('a');
    expect(changed).toHaveBeenCalledTimes(2);
    expect(deletedCells(notebook).all[0]?.dismissed).toBe(true);
    deleted.add(cell('a'), ['a'], BY);
    expect(deleted.all.map(each => each.dismissed)).toEqual([false]);
    deleted.forget(['a']);
    expect(deletedCells(notebook).all).toEqual([]);
    expect(deletedCells({})).not.toBe(deleted);
  });
});
