import type { SessionState } from '../../wire/types';

/**
 * The place of a file on the server's machine, as a `file:` address.
 *
 * The page knows the server's root absolutely or shortened by `~`, and the
 * session's folder both ways; `null` where that does not tell.
 */
export function fileUri(
  root: string,
  session: Pick<SessionState, 'cwd' | 'folder'>,
  path: string,
): string | null {
  const whole = absoluteRoot(root, session);
  if (whole === null) {
    return null;
  }
  const parts = `${whole}/${path}`.replaceAll('\\', '/').split('/');
  const named = parts.filter(part => part !== '').map(encodeURIComponent);
  // `C:` stays as it is.
  return `file:///${named.join('/').replace(/^([A-Za-z])%3A/, '$1:')}`;
}

function absoluteRoot(
  root: string,
  { cwd, folder }: Pick<SessionState, 'cwd' | 'folder'>,
): string | null {
  if (!root.startsWith('~')) {
    return root === '' ? null : root;
  }
  const below = folder.slice(1);
  if (!folder.startsWith('~') || !cwd.endsWith(below)) {
    return null;
  }
  return cwd.slice(0, cwd.length - below.length) + root.slice(1);
}

/** The last part of a path. */
export function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The folder of a path; the root is an empty text. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
