/** Where an agent's address leads: to our own server, or somewhere else. */
export interface Address {
  readonly href: string;
  readonly foreign: boolean;
}

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:/i;

/**
 * Where the address of a preview leads; `null` if nowhere that may be opened.
 *
 * A relative one means our own server and may not leave it; an absolute one is
 * foreign. `base` is the server's own address, empty where it is not known.
 */
export function addressOf(url: string, base: string): Address | null {
  try {
    if (ABSOLUTE.test(url)) {
      const { href, protocol } = new URL(url);
      return protocol === 'https:' || protocol === 'http:' ? { href, foreign: true } : null;
    }
    // Two slashes name another host, and browsers read backslashes as slashes.
    if (url === '' || base === '' || url.startsWith('//') || url.includes('\\')) {
      return null;
    }
    const root = new URL(base);
    const { href } = new URL(`./${url.replace(/^\//, '')}`, root);
    return href.startsWith(root.href) ? { href, foreign: false } : null;
  } catch {
    return null;
  }
}

/** Whether a path lies in the session's folder, as far as it says itself. */
export function isInside(path: string): boolean {
  return path !== '' && !/^([/~\\]|[A-Za-z]:)/.test(path) && !path.split(/[/\\]/).includes('..');
}
