import type { SessionState } from '../wire/types';

/**
 * The path by which the server knows a file that an item names.
 *
 * Items name files relative to the session's folder, or absolutely outside it.
 * The page knows the server's root absolutely or shortened by `~`, the session
 * its folder both ways.
 */
export function serverPath(
  root: string,
  session: Pick<SessionState, 'cwd' | 'folder'>,
  path: string,
): string | null {
  const folder = root.startsWith('~') ? session.folder : session.cwd;
  const whole = path.startsWith('/') || path.startsWith('~') ? path : `${folder}/${path}`;
  const parts = normal(whole);
  const below = normal(root);
  return below.every((part, index) => parts[index] === part)
    ? parts.slice(below.length).join('/')
    : null;
}

function normal(path: string): string[] {
  const parts: string[] = [];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '..') {
      parts.pop();
    } else if (part !== '' && part !== '.') {
      parts.push(part);
    }
  }
  return parts;
}
