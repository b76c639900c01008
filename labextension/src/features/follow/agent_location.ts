import type { SessionView } from '../../state/session_view';
import type { SessionState, ToolCall } from '../../wire/types';
import { serverPath } from '../../lab/page/paths';
import { argumentsShown } from '../../lab/page/tool_arguments';

/** The place where an agent works. */
export type AgentLocation =
  | { readonly kind: 'cell'; readonly path: string; readonly cellId: string }
  /** A file, by its path on the server, and a line of it, from 1. */
  | { readonly kind: 'file'; readonly path: string; readonly line: number | null };

/** The place of the running turn's newest call that names one; `null` if none does. */
export function newestLocation(view: SessionView, root: string): AgentLocation | null {
  const { session } = view;
  const turnId = session?.active_turn_id ?? null;
  if (session === null || turnId === null) {
    return null;
  }
  const ids = view.byTurn.get(turnId) ?? [];
  for (let index = ids.length - 1; index >= 0; index -= 1) {
    const item = view.items.get(ids[index] ?? '');
    const place = item?.kind === 'tool_call' ? locationOf(item, session, root) : null;
    if (place !== null) {
      return place;
    }
  }
  return null;
}

/** The place of one call: a cell of the session's notebook, or a file of its folder. */
export function locationOf(
  call: ToolCall,
  session: SessionState,
  root: string,
): AgentLocation | null {
  const cellId = cellOf(call);
  if (cellId !== '' && session.notebook_path !== '') {
    return { kind: 'cell', path: session.notebook_path, cellId };
  }
  const named = call.locations.map(({ path, line }) => ({ path, line }));
  const own = call.path === '' ? [] : [{ path: call.path, line: null }];
  for (const { path, line } of [...named, ...own]) {
    const found = pathInFolder(path, session, root);
    // Lines of a notebook's file don't identify its cells.
    if (found !== null && !found.endsWith('.ipynb')) {
      return { kind: 'file', path: found, line };
    }
  }
  return null;
}

/** Id of the (first) cell that the arguments of a notebook tool name. */
function cellOf({ raw_input: raw }: ToolCall): string {
  for (const { cell_id: one, cell_ids: several } of argumentsShown(raw)) {
    const first: unknown = Array.isArray(several) ? several[0] : undefined;
    const id = typeof one === 'string' ? one : first;
    if (typeof id === 'string' && id !== '') {
      return id;
    }
  }
  return '';
}

/** The path on the server of a file in the session's folder; else `null`. */
function pathInFolder(path: string, session: SessionState, root: string): string | null {
  const folder = serverPath(root, session, '.');
  const found = serverPath(root, session, path);
  return folder !== null && found !== null && isBelow(found, folder) ? found : null;
}

function isBelow(path: string, folder: string): boolean {
  return path !== folder && (folder === '' || path.startsWith(`${folder}/`));
}
