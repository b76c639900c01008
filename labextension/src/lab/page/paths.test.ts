import { describe, expect, it, test } from 'vitest';

import { fileUri, serverPath } from './paths';

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

test('a session that works in a copy shows the files of its folder', () => {
  const copied = { cwd: '/data/s1/copy/repo', folder: '~/lab/repo', copied_folder: session.cwd };
  expect(serverPath('/home/u/lab', copied, 'a.py')).toBe('repo/a.py');
  expect(fileUri('~/lab', copied, 'repo/a.py')).toBe('file:///home/u/lab/repo/a.py');
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
