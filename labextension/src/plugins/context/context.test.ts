import { describe, expect, it } from 'vitest';

import { Files } from './files';
import { best, score } from './fuzzy';
import { fileUri } from './paths';

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

describe('the address of a file', () => {
  const session = { cwd: '/home/me/notes/a b', folder: '~/notes/a b' };

  it('is found from the root, in full or shortened', () => {
    expect(fileUri('/home/me/notes', session, 'a b/c.py')).toBe('file:///home/me/notes/a%20b/c.py');
    expect(fileUri('~/notes', session, 'a b/c.py')).toBe('file:///home/me/notes/a%20b/c.py');
    expect(fileUri('C:\\notes', session, 'c.py')).toBe('file:///C:/notes/c.py');
  });

  it('is not guessed', () => {
    expect(fileUri('~/notes', { cwd: '/srv/x', folder: '/srv/x' }, 'c.py')).toBeNull();
    expect(fileUri('', session, 'c.py')).toBeNull();
  });
});

describe('files of a folder', () => {
  it('are listed once, without hidden ones, and bounded', async () => {
    let asked = 0;
    const entry = (path: string, type: string) => ({
      name: path.split('/').pop() ?? '',
      path,
      type,
    });
    const files = new Files({
      get: path => {
        asked += 1;
        const content =
          path === ''
            ? [
                entry('.git', 'directory'),
                entry('node_modules', 'directory'),
                entry('src', 'directory'),
                entry('a.py', 'file'),
              ]
            : Array.from({ length: 5_000 }, (_, index) => entry(`src/${index}.py`, 'file'));
        return Promise.resolve({
          ...entry(path, 'directory'),
          content,
          created: '',
          last_modified: '',
          writable: true,
          mimetype: '',
          format: 'json',
        });
      },
    });
    const [first, second] = await Promise.all([files.below(''), files.below('')]);
    expect(first).toHaveLength(2_000);
    expect(first.slice(0, 2)).toEqual(['a.py', 'src/0.py']);
    expect(second).toBe(first);
    expect(await files.below('')).toBe(first);
    expect(asked).toBe(2);
  });

  it('are none where the server refuses', async () => {
    const files = new Files({ get: () => Promise.reject(new Error('403')) });
    expect(await files.below('secret')).toEqual([]);
  });
});
