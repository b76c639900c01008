import { useScene } from './scene';

/** A path whose folder gives way first; the whole of it in the title, where it is known. */
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

/** Items name files in the session's folder relative to it; a saved record names no folder. */
function wholePath(path: string, folder: string): string {
  return folder === '' || /^([/~\\]|[A-Za-z]:)/.test(path) ? path : `${folder}/${path}`;
}
