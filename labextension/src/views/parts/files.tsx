import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import { useScene } from '../scene';
import { messageOf } from './buttons';

/** A path; its folder is shortened first, and the title has the absolute path if known. */
export function Path({ path }: { readonly path: string }) {
  const { store } = useScene();
  const cut = path.lastIndexOf('/', path.length - 2) + 1;
  return (
    <span class="path" title={wholePath(path, store.view.session?.folder ?? '')} dir="ltr">
      {cut > 0 && <span class="dir">{path.slice(0, cut)}</span>}
      <span class="base">{path.slice(cut)}</span>
    </span>
  );
}

/** Lines added and removed. */
export function Counts({
  added,
  removed,
}: {
  readonly added: number | null;
  readonly removed: number | null;
}) {
  if (added === null || removed === null) {
    return null;
  }
  return (
    <span class="counts num">
      <span class="plus">+{added.toLocaleString('en-US')}</span>{' '}
      <span class="minus">−{removed.toLocaleString('en-US')}</span>
    </span>
  );
}

/** Items name files in the session's folder relative to it; a saved output names no folder. */
function wholePath(path: string, folder: string): string {
  return folder === '' || /^([/~\\]|[A-Za-z]:)/.test(path) ? path : `${folder}/${path}`;
}

/** A function that opens a file, and its error, to be drawn beside the control. */
export function useOpenFile() {
  const { actions } = useScene();
  const [why, setWhy] = useState('');
  const open = (path: string, line: number | null) => {
    setWhy('');
    actions?.openFile?.(path, line).catch((error: unknown) => setWhy(messageOf(error)));
  };
  const failure = why !== '' && (
    <small class="muted" role="alert">
      {' '}
      {why}
    </small>
  );
  return { open, failure };
}

interface FileLinkProps {
  readonly path: string;
  /** From 1; `null` is the file's top. */
  readonly line: number | null;
  readonly class?: string;
  /** Shown instead of the path. */
  readonly children?: ComponentChildren;
}

/** A path with an optional line; a click opens it there, if the host can. */
export function FileLink({ path, line, class: kind = '', children }: FileLinkProps) {
  const { actions } = useScene();
  const { open, failure } = useOpenFile();
  const name = line === null ? path : `${path}:${line}`;
  const words = children ?? (
    <>
      <Path path={path} />
      {line !== null && <span class="num">:{line}</span>}
    </>
  );
  return actions?.openFile === undefined ? (
    <span class={`acp-place ${kind}`} dir="ltr">
      {words}
    </span>
  ) : (
    <>
      <button
        type="button"
        class={`acp-place link ${kind}`}
        aria-label={children === undefined ? name : undefined}
        dir="ltr"
        onClick={() => open(path, line)}
      >
        {words}
      </button>
      {failure}
    </>
  );
}
/** An agent's URL: one of our own server, or a foreign one. */
export interface Address {
  readonly href: string;
  readonly foreign: boolean;
}

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:/i;

/**
 * The URL of a preview; `null` if it must not be opened.
 *
 * A relative URL belongs to our own server and may not leave it; an absolute one is foreign. `base`
 * is the server's base URL, empty if it is not known.
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

/** Whether a path is in the session's folder, judging by the path alone. */
export function isInside(path: string): boolean {
  return path !== '' && !/^([/~\\]|[A-Za-z]:)/.test(path) && !path.split(/[/\\]/).includes('..');
}
