import { describe, expect, it } from 'vitest';

import type { Diff } from '../../wire/types';
import { compareCells } from './compare_cells';

interface Cell {
  readonly source: string;
  readonly id?: string;
  readonly outputs?: unknown[];
  readonly execution_count?: number;
}

function notebook(cells: readonly Cell[], metadata: object = {}): string {
  const made = cells.map(cell => ({ cell_type: 'code', metadata: {}, ...cell }));
  return JSON.stringify({ cells: made, metadata, nbformat: 4, nbformat_minor: 5 });
}

function diff(old_text: string | null, new_text: string, path = 'a.ipynb'): Diff {
  return {
    path,
    old_text,
    new_text,
    is_new_file: false,
    old_line: 1,
    new_line: 1,
    added: 90,
    removed: 80,
  };
}

const words = (pair: Diff) =>
  compareCells(pair)?.rows.map(row =>
    row.kind === 'same'
      ? `${row.count} same`
      : `${row.kind} ${row.number} ${row.before}>${row.after}${row.outputs ? ' outputs' : ''}`,
  );

describe('notebooks', () => {
  it('are compared by the ids of their cells, not as JSON', () => {
    const before = notebook([
      { id: 'a', source: 'x = 1', execution_count: 1 },
      { id: 'b', source: 'gone' },
      { id: 'c', source: 'y', outputs: [1] },
      { id: 'd', source: 'same' },
    ]);
    const after = notebook([
      { id: 'a', source: 'x = 2', execution_count: 7 },
      { id: 'n', source: 'new' },
      { id: 'c', source: 'y', outputs: [2] },
      { id: 'd', source: 'same' },
    ]);
    expect(words(diff(before, after))).toEqual([
      'changed 1 x = 1>x = 2 outputs',
      'added 2 >new',
      'deleted 2 gone>',
      'changed 3 y>y outputs',
      '1 same',
    ]);
    expect(compareCells(diff(before, after))).toMatchObject({ added: 2, removed: 2, rest: false });
  });

  it('are compared by source and place where cells have no ids', () => {
    const [before, after] = [
      ['a', 'b', 'c', 'd'],
      ['a', 'B', 'c', 'new', 'd'],
    ].map(sources => notebook(sources.map(source => ({ source }))));
    expect(words(diff(before ?? '', after ?? ''))).toEqual([
      '1 same',
      'changed 2 b>B',
      '1 same',
      'added 4 >new',
      '1 same',
    ]);
  });

  it('say what changed beside the cells, and only then', () => {
    const cells = [{ id: 'a', source: 'x' }];
    const pair = diff(notebook(cells), notebook(cells, { kernelspec: { name: 'r' } }));
    expect(compareCells(pair)).toEqual({
      rows: [{ kind: 'same', count: 1 }],
      rest: true,
      language: 'python',
      added: 0,
      removed: 0,
    });
    expect(compareCells(diff(null, notebook(cells)))).toMatchObject({ rest: false, added: 1 });
    const julia = notebook(cells, { language_info: { name: 'julia' } });
    expect(compareCells(diff(null, julia))).toMatchObject({ language: 'julia' });
  });

  it('are text where they are no notebooks', () => {
    for (const text of ['{', '[]', '{"cells": 3}', 'null', '{"cells":{}}']) {
      expect(compareCells(diff(text, notebook([])))).toBeNull();
      expect(compareCells(diff(notebook([]), text))).toBeNull();
    }
    expect(compareCells(diff(notebook([]), notebook([{ source: '' }]), 'a.json'))).toBeNull();
    const odd = '{"cells":[null,3,{"source":{},"id":{}},{"source":["a",1]}]}';
    expect(words(diff(odd, '{"cells":[]}'))).toHaveLength(4);
  });
});
