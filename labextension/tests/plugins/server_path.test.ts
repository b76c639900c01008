import { expect, test } from 'vitest';

import { serverPath } from '../../src/plugins/serverPath';

const session = { cwd: '/home/u/work/repo', folder: '~/work/repo' };

test.each([
  ['/home/u/work', 'a.py', 'repo/a.py'],
  ['/home/u/work/', './lib/../a.py', 'repo/a.py'],
  ['~/work', 'a.py', 'repo/a.py'],
  ['/home/u/work', '/home/u/work/other/b.py', 'other/b.py'],
  ['/', 'a.py', 'home/u/work/repo/a.py'],
  ['/home/u/work', '/etc/passwd', null],
  ['/home/u/work', '../../x.py', null],
  ['/home/u/wo', 'a.py', null],
])('root %s, file %s: %s', (root, path, expected) => {
  expect(serverPath(root, session, path)).toBe(expected);
});
