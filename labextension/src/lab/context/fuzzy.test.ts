import { describe, expect, it } from 'vitest';

import { baseOf } from '../page/paths';
import { best } from './fuzzy';
import type { Searched } from './fuzzy';

function file(path: string): Searched {
  return {
    mention: {
      group: 'files',
      label: path,
      detail: '',
      word: path,
      attachment: { kind: 'file', label: path, path },
    },
    name: baseOf(path),
    whole: path,
  };
}

function cell(number: number, line: string): Searched {
  const label = `Cell ${number}: ${line}`;
  return {
    mention: {
      group: 'cells',
      label,
      detail: '',
      word: `cell ${number}`,
      attachment: { kind: 'cell', label, notebook: 'a.ipynb', cellId: String(number) },
    },
    name: line,
    whole: String(number),
  };
}

function labels(groups: readonly (readonly Searched[])[], typed: string, limit = 8): string[] {
  return best(groups, typed, limit).map(({ label }) => label);
}

describe('what a name means', () => {
  it('prefers names to folders, begins to middles, short to long', () => {
    const names = ['docs/clean/a.md', 'src/clean.py', 'unclean.py', 'clean.py'].map(file);
    const found = labels([names], 'clean');
    expect(found.slice(0, 2)).toEqual(['clean.py', 'src/clean.py']);
    expect([...found].sort()).toEqual([...names.map(({ whole }) => whole)].sort());
    expect(labels([[file('src/clean.py')]], 'clnpy')).toEqual(['src/clean.py']);
    expect(labels([[file('src/clean.py')]], 'xyz')).toEqual([]);
  });

  it('finds a path by its folders', () => {
    expect(labels([[file('src/clean.py'), file('tests/clean.py')]], 'tests/cl')).toEqual([
      'tests/clean.py',
    ]);
  });

  it('finds a cell by what is in it, and by its number last of all', () => {
    const cells = [cell(5, 'x = 1'), cell(6, 'clean(rows)')];
    const files = [file('clean.py')];
    expect(labels([cells, files], 'cl')).toEqual(['clean.py', 'Cell 6: clean(rows)']);
    expect(labels([cells, files], 'cell5')).toEqual(['Cell 5: x = 1']);
    expect(labels([cells, files], '6')).toEqual(['Cell 6: clean(rows)']);
    expect(labels([cells, files], 'cel')).toEqual(['Cell 5: x = 1', 'Cell 6: clean(rows)']);
  });

  it('takes from each group in turn where nothing is typed', () => {
    const groups = [['a', 'b', 'c'], [], ['1', '2']].map(names => names.map(file));
    expect(labels(groups, '', 4)).toEqual(['a', '1', 'b', '2']);
  });
});
