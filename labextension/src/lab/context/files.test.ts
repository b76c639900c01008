import { describe, expect, it } from 'vitest';

import { Files } from './files';

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
