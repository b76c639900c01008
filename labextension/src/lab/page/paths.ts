import type { SessionState } from '../../wire/types';

type Folders = Pick<SessionState, 'cwd' | 'folder'> &
  Partial<Pick<SessionState, 'copied_folder' | 'variant'>>;

/** The folder of a session as its user knows it, where its agent works in a copy, too. */
export function ownFolder({ cwd, copied_folder: copied, variant }: Folders): string {
  return variant?.folder ?? (copied || cwd);
}

/**
 * The server's path of a file that an item names.
 *
 * Items name files relative to the session's folder, or absolutely outside it. The page knows the
 * server's root as an absolute path or shortened with `~`, and the session's folder in both forms.
 */
export function serverPath(root: string, session: Folders, path: string): string | null {
  const folder = root.startsWith('~') ? session.folder : ownFolder(session);
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

/**
 * The `file:` URI of a file on the server's machine.
 *
 * The page knows the server's root as an absolute path or shortened with `~`, and the session's
 * folder in both forms; `null` if that is not enough.
 */
export function fileUri(root: string, session: Folders, path: string): string | null {
  const whole = absoluteRoot(root, session);
  if (whole === null) {
    return null;
  }
  const parts = `${whole}/${path}`.replaceAll('\\', '/').split('/');
  const named = parts.filter(part => part !== '').map(encodeURIComponent);
  // `C:` must not be encoded.
  return `file:///${named.join('/').replace(/^([A-Za-z])%3A/, '$1:')}`;
}

function absoluteRoot(root: string, session: Folders): string | null {
  if (!root.startsWith('~')) {
    return root === '' ? null : root;
  }
  const { folder } = session;
  const cwd = ownFolder(session);
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
