import { expect, test } from 'vitest';

import { serverPath } from '../../src/plugins/serverPath';

const session = { cwd: '/home/u/lab/repo', folder: '~/lab/repo' };

test.each([
  ['/home/u/lab', 'a.py', 'repo/a.py'],
  ['/home/u/lab/', './lib/../a.py', 'repo/a.py'],
  ['~/lab', 'a.py', 'repo/a.py'],
  ['/home/u/lab', '/home/u/lab/other/b.py', 'other/b.py'],
  ['/', 'a.py', 'home/u/lab/repo/a.py'],
  ['/home/u/lab', '/etc/passwd', null],
  ['/home/u/lab', '../../x.py', null],
  ['/home/u/la', 'a.py', null],
])('root %s, file %s: %s', (root, path, expected) => {
  expect(serverPath(root, session, path)).toBe(expected);
});
