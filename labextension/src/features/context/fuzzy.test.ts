import { describe, expect, it } from 'vitest';

import { best, score } from './fuzzy';

describe('the fit of a name', () => {
  it('prefers names to folders, begins to middles, short to long', () => {
    const names = ['docs/clean/a.md', 'src/clean.py', 'unclean.py', 'c_l_e.py', 'clean.py'];
    expect(best([names], 'clean', name => name, 8)).toEqual([
      'clean.py',
      'src/clean.py',
      'docs/clean/a.md',
      'unclean.py',
    ]);
    expect(score('src/clean.py', 'scp')).toBeGreaterThan(0);
    expect(score('src/clean.py', 'xyz')).toBe(0);
  });

  it('takes from each group in turn where nothing is typed', () => {
    expect(best([['a', 'b', 'c'], [], ['1', '2']], '', name => name, 4)).toEqual([
      'a',
      '1',
      'b',
      '2',
    ]);
  });
});
