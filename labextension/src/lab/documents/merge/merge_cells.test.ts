import { describe, expect, it } from 'vitest';

import { identify } from './identify_cells';
import { planMerge } from './merge_cells';
import type { OpenCell } from './merge_cells';
import { known, loadedCells, readCells } from './notebook_json';
import type { CellJson } from './notebook_json';

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

function merge(base: CellJson[], mine: OpenCell[], theirs: CellJson[]) {
  const plan = planMerge(base.map(known), mine, theirs);
  return { ...plan, inserted: [...plan.inserted.keys()] };
}

const a = cell('a', '1');

const b = cell('b', '2');

const c = cell('c', '3');

const stream = (...text: string[]) => ({ output_type: 'stream', name: 'stdout', text });

const out = [stream('hi')];

describe('planMerge', () => {
  it('takes a change of one cell beside an unsaved one of another', () => {
    const plan = merge([a, b], [cell('a', 'mine', { outputs: out }), b], [a, cell('b', 'new')]);
    expect(plan).toEqual({
      order: ['a', 'b'],
      inserted: [],
      changes: [{ id: 'b', source: 'new' }],
      conflicts: [],
    });
  });

  it('overwrites nothing that was changed here and there', () => {
    const plan = merge([a, b], [cell('a', 'mine'), b], [cell('a', 'theirs'), b]);
    expect(plan.changes).toEqual([]);
    expect(plan.conflicts).toEqual([{ id: 'a', theirs: 'theirs' }]);
  });

  it('sees that both made the same of it', () => {
    const plan = merge([a], [cell('a', 'same')], [cell('a', 'same')]);
    expect([plan.changes, plan.conflicts]).toEqual([[], []]);
  });

  it('puts new cells after the one before them', () => {
    const plan = merge([a, b], [a, cell('mine', 'x'), b], [a, b, cell('new', 'y'), cell('z', 'z')]);
    expect(plan.order).toEqual(['a', 'mine', 'b', 'new', 'z']);
    expect(plan.inserted).toEqual(['new', 'z']);
    expect(merge([a], [a], [cell('new', 'y'), a]).order).toEqual(['new', 'a']);
  });

  it('deletes what is clean, and asks about what is not', () => {
    const mine = [a, cell('b', 'mine'), cell('c', '3', { running: true })];
    const plan = merge([a, b, c], mine, []);
    expect(plan.order).toEqual(['b', 'c']);
    expect(plan.conflicts).toEqual([{ id: 'b', theirs: null }]);
  });

  it('leaves what the user deleted, unless it was changed', () => {
    expect(merge([a, b], [a], [a, b]).order).toEqual(['a']);
    expect(merge([a, b], [a], [a, cell('b', 'new')]).order).toEqual(['a', 'b']);
  });

  it('moves cells, but not while one runs', () => {
    expect(merge([a, b, c], [a, b, c], [c, a, b]).order).toEqual(['c', 'a', 'b']);
    const running = cell('c', '3', { running: true });
    expect(merge([a, b, c], [a, b, running], [c, a, b]).order).toEqual(['a', 'b', 'c']);
  });

  it('replaces a cell of another type', () => {
    const plan = merge([a], [a], [cell('a', '# 1', { cell_type: 'markdown' })]);
    expect([plan.inserted, plan.order]).toEqual([['a'], ['a']]);
  });

  it('keeps outputs unless there are newer ones', () => {
    const shown = cell('a', '1', { outputs: out });
    expect(merge([shown], [shown], [cell('a', 'new')]).changes).toEqual([
      { id: 'a', source: 'new' },
    ]);
    const ran = cell('a', '1', { outputs: [stream('h', 'o')] });
    expect(merge([shown], [shown], [ran]).changes[0]?.outputs).toBe(ran);
    expect(merge([a], [shown], [ran]).changes).toEqual([]);
    const same = cell('a', '1', { outputs: [stream('h', 'i')] });
    expect(merge([shown], [shown], [same]).changes).toEqual([]);
  });

  it('takes an image beside what was typed elsewhere, and both where each has added one', () => {
    const text = cell('a', '1', { cell_type: 'markdown' });
    const [mine, theirs] = [{ 'm.png': { 'image/png': 'm' } }, { 't.png': { 'image/png': 't' } }];
    const changed = { ...text, attachments: theirs };
    expect(merge([text], [text], [changed]).changes).toEqual([{ id: 'a', attachments: theirs }]);
    expect(merge([text], [{ ...text, attachments: mine }], [changed]).changes).toEqual([
      { id: 'a', attachments: { ...mine, ...theirs } },
    ]);
    const other = { 't.png': { 'image/png': 'other' } };
    const plan = merge([text], [{ ...text, attachments: other }], [changed]);
    expect(plan.conflicts).toEqual([{ id: 'a', theirs: '1', attachments: theirs }]);
  });

  it('asks about a cell that was deleted there and run here', () => {
    const plan = merge([a], [cell('a', '1', { outputs: out })], []);
    expect([plan.order, plan.conflicts]).toEqual([['a'], [{ id: 'a', theirs: null }]]);
    const text = cell('a', '1', { cell_type: 'markdown' });
    expect(merge([a], [cell('a', '1', { outputs: out })], [text]).inserted).toEqual([]);
  });

  it('takes nothing where two open cells have one id', () => {
    const plan = merge([a, a], [a, cell('a', 'typed')], [cell('a', 'new')]);
    expect([plan.order, plan.inserted, plan.changes]).toEqual([['a', 'a'], [], []]);
    expect(plan.conflicts).toContainEqual({ id: 'a', theirs: 'new' });
  });

  it('takes metadata, but not what is the page’s own', () => {
    const tagged = cell('a', '1', { metadata: { tags: ['x'], trusted: true } });
    expect(merge([a], [a], [tagged]).changes).toEqual([{ id: 'a', metadata: tagged.metadata }]);
    const trusted = cell('a', '1', { metadata: { trusted: true } });
    expect(merge([a], [a], [trusted]).changes).toEqual([]);
  });
});

describe('the cells of a notebook', () => {
  const notebook = {
    cells: [{ ...cell('a', '1', { outputs: out }), metadata: { trusted: true, tags: ['x'] } }],
  };

  it('are trusted where the server says so, and never where an agent may', () => {
    expect(loadedCells(notebook)?.[0]?.metadata).toEqual({ trusted: true, tags: ['x'] });
    expect(readCells(notebook)?.[0]?.metadata).toEqual({ tags: ['x'] });
    expect(readCells(notebook)?.[0]?.outputs).toEqual(out);
  });
});

describe('identify', () => {
  const before = [a, b, c].map(known);
  const ids = (cells: CellJson[]) => identify(before, cells, () => 'made').map(({ id }) => id);

  it.each<[string, CellJson[], string[]]>([
    ['by their ids', [cell('b', 'x'), cell('a', 'y')], ['b', 'a']],
    ['by their sources', [cell('', '1'), cell('', 'new'), cell('', '2')], ['a', 'made', 'b']],
    ['by their places', [cell('', '1'), cell('', 'changed'), cell('', '3')], ['a', 'b', 'c']],
    ['where ids were lost', [cell('q', '2'), cell('r', 'other')], ['b', 'r']],
    ['by their sources where copies have one id', [cell('a', 'x'), cell('a', '1')], ['made', 'a']],
    ['but each only once', [cell('a', '1'), cell('a', '1')], ['a', 'made']],
    ['and no bad ones', [cell('not an id!', 'x')], ['made']],
    ['in an empty notebook', [], []],
  ])('knows cells %s', (_, cells, expected) => {
    expect(ids(cells)).toEqual(expected);
  });
});

describe('readCells', () => {
  it.each([null, 3, [], {}, { cells: {} }, { cells: [1] }, { cells: [{ cell_type: 'odd' }] }])(
    'takes %j for no notebook',
    value => {
      expect(readCells(value)).toBeNull();
    },
  );

  it('joins lines', () => {
    const [read] = readCells({ cells: [{ cell_type: 'raw', source: ['a\n', 'b'] }] }) ?? [];
    expect(read?.source).toBe('a\nb');
    expect(read?.id).toBe('');
  });
});
