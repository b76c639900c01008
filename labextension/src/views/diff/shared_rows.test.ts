import { expect, it } from 'vitest';

import { compareCells } from './compare_cells';
import { sharedRows } from './shared_rows';

const BEFORE = ['a', 'b', 'c', 'd', 'e'];

/** A notebook of cells such as `b`, or `b=2` for one with another source. */
function notebook(cells: readonly string[], named = true): string {
  const made = cells.map(cell => {
    const [id = '', source = id] = cell.split('=');
    return { cell_type: 'code', metadata: {}, source, ...(named && { id }) };
  });
  return JSON.stringify({ cells: made, metadata: {}, nbformat: 4, nbformat_minor: 5 });
}

/** The content of each row, from left to right. */
function rows(all: readonly (readonly string[])[], before = BEFORE, named = true): string[] {
  const diffs = all.flatMap(
    cells =>
      compareCells({
        path: 'a.ipynb',
        old_text: before.length > 0 ? notebook(before, named) : null,
        new_text: notebook(cells, named),
        is_new_file: false,
        old_line: 1,
        new_line: 1,
        added: null,
        removed: null,
      }) ?? [],
  );
  const columns = sharedRows(diffs).map(column =>
    column.map(row => {
      if (row.kind === 'none') {
        return '';
      }
      return row.kind === 'same'
        ? `${row.count} same`
        : `${row.kind} ${row.before}>${row.after}`.replaceAll('\n\n', '');
    }),
  );
  expect(new Set(columns.map(({ length }) => length)).size).toBe(1);
  return (columns[0] ?? []).map((_, index) => columns.map(column => column[index]).join(' | '));
}

it('puts the same cell of each into one row', () => {
  const one = ['a', 'b=1', 'c', 'd', 'e'];
  const two = ['a', 'b=2', 'c', 'e=2'];
  expect(rows([one, two])).toEqual([
    '1 same | 1 same',
    'changed b>1 | changed b>2',
    '1 same | 1 same',
    '1 same | deleted d>',
    '1 same | changed e>2',
  ]);
});

it('leaves a place empty beside a cell that only one has', () => {
  const one = ['a', 'x', 'y', 'b', 'c', 'd', 'e'];
  const two = ['a', 'z', 'b', 'c', 'd', 'e', 'y'];
  expect(rows([one, two])).toEqual([
    '1 same | 1 same',
    'added >x | ',
    'added >y | added >y',
    ' | added >z',
    '4 same | 4 same',
  ]);
});

it('shows what moved in one row, and unchanged cells beside and below it', () => {
  expect(rows([['a', 'c', 'b', 'd', 'e'], BEFORE.map(id => (id === 'c' ? 'c=2' : id))])).toEqual([
    '1 same | 1 same',
    'moved bc>cb | ',
    ' | 1 same',
    ' | changed c>2',
    '2 same | 2 same',
  ]);
  expect(
    rows([
      ['a', 'c', 'b', 'd', 'e'],
      ['a', 'b', 'c', 'd', 'e=2'],
    ]),
  ).toEqual([
    '1 same | 1 same',
    'moved bc>cb | ',
    ' | 2 same',
    '1 same | 1 same',
    '1 same | changed e>2',
  ]);
});

it('tells new cells apart where they have no ids, and in a new notebook', () => {
  expect(
    rows(
      [
        ['a', 'x'],
        ['a', 'x'],
      ],
      ['a'],
      false,
    ),
  ).toEqual(['1 same | 1 same', 'added >x | ', ' | added >x']);
  expect(rows([['x'], ['x=2', 'y']], [])).toEqual(['added >x | added >2', ' | added >y']);
  expect(sharedRows([])).toEqual([]);
});
