import type { ComponentChildren } from 'preact';

import { Path } from './path';
import { useScene } from './scene';

interface FileLinkProps {
  readonly path: string;
  /** From 1; `null` is the file's top. */
  readonly line: number | null;
  readonly class?: string;
  /** In place of the path. */
  readonly children?: ComponentChildren;
}

/** A place in a file: a click opens it, where the host can. */
export function FileLink({ path, line, class: kind = '', children }: FileLinkProps) {
  const { actions } = useScene();
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
    <button
      type="button"
      class={`acp-place link ${kind}`}
      aria-label={children === undefined ? name : undefined}
      dir="ltr"
      onClick={() => actions.openFile?.(path, line)}
    >
      {words}
    </button>
  );
}
