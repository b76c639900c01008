import { pendingRequest } from '../../state/items';
import type { SessionView } from '../../state/session_view';
import { textOf } from '../../state/texts';
import type { Item, Permission, ToolCall } from '../../wire/types';
import { argumentsShown } from '../page/tool_arguments';

/** Options of a permission request, by which a proposal is taken or declined. */
export interface Request {
  readonly requestId: string;
  readonly allow: string;
  readonly reject: string | null;
}

/** A new source, and the request that applies it; without one it stands in the answer. */
export interface Proposal {
  readonly source: string;
  readonly request: Request | null;
}

/** What has come of a prompt for a fix. */
export type Outcome =
  | { readonly kind: 'waits'; readonly for: 'queue' | 'agent' | 'answer' }
  | ({ readonly kind: 'proposal' } & Proposal)
  /** The tool has changed the cell. */
  | { readonly kind: 'edited'; readonly source: string }
  /** It was allowed to, and could not. */
  | { readonly kind: 'refused' }
  /** The turn ended without a proposal. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'failed'; readonly message: string; readonly stopped: boolean };

/** Reads what a turn has come to for a cell; `asked` is the source that it was asked about. */
export function outcomeOf(
  view: SessionView,
  turnId: string,
  { cellId, asked }: { readonly cellId: string; readonly asked: string },
): Outcome {
  const items = (view.byTurn.get(turnId) ?? []).flatMap(id => view.items.get(id) ?? []);
  for (const item of [...items].reverse()) {
    const source = item.kind === 'tool_call' ? proposedBy(item, cellId) : null;
    if (item.kind !== 'tool_call' || source === null) {
      continue;
    }
    const { permission, status } = item;
    if (permission?.state === 'pending') {
      const request = requestOf(permission);
      return request === null
        ? { kind: 'waits', for: 'answer' }
        : { kind: 'proposal', source, request };
    }
    const allowed = permission === null || permission.state === 'allowed';
    if (allowed && status === 'completed') {
      return { kind: 'edited', source };
    }
    if (permission?.state === 'allowed' && status === 'failed') {
      return { kind: 'refused' };
    }
  }
  const turn = view.turns.get(turnId);
  if (turn?.status !== 'done') {
    const asks = items.some(item => pendingRequest(item) !== null) || asksForTrust(view);
    const waiting = turn === undefined || turn.status === 'queued' ? 'queue' : 'agent';
    return { kind: 'waits', for: asks ? 'answer' : waiting };
  }
  if (turn.failure !== null || turn.stop_reason === 'cancelled') {
    const message = turn.failure?.message ?? '';
    return { kind: 'failed', message, stopped: turn.failure === null };
  }
  const source = lastCode(saidIn(view, items));
  return source === null || source === asked
    ? { kind: 'nothing' }
    : { kind: 'proposal', source, request: null };
}

/** The new source that a call of `edit_cell` has for a cell. */
function proposedBy({ raw_input: raw, diffs }: ToolCall, cellId: string): string | null {
  for (const { cell_id, source, edits } of argumentsShown(raw)) {
    if (cell_id === cellId && typeof source === 'string') {
      return source;
    }
    if (cell_id === cellId && Array.isArray(edits)) {
      return diffs[diffs.length - 1]?.new_text ?? null; // edits of a part: the request shows the whole
    }
  }
  return null;
}

/** How a proposal is taken and declined; `null` where it is not one option that allows it once. */
function requestOf({ request_id: requestId, options }: Permission): Request | null {
  const ofKind = (kind: string) => options.filter(({ option_kind }) => option_kind === kind);
  const [allow, ...others] = ofKind('allow_once');
  return allow === undefined || others.length > 0
    ? null
    : { requestId, allow: allow.option_id, reject: ofKind('reject_once')[0]?.option_id ?? null };
}

/** Whether the session asks whether its folder is trusted, in no turn. */
function asksForTrust({ items }: SessionView): boolean {
  return [...items.values()].some(
    item => item.kind === 'trust_request' && pendingRequest(item) !== null,
  );
}

function saidIn(view: SessionView, items: readonly Item[]): string {
  return items
    .filter(item => item.kind === 'agent_message' && item.parent_id === '')
    .map(({ id }) => textOf(view, id, 'text'))
    .join('\n');
}

/** The last code block of an answer, as it is written; `null` without one that is closed. */
function lastCode(answer: string): string | null {
  let found: string | null = null;
  let open: { fence: string; indent: number; lines: string[] } | null = null;
  for (const line of answer.split('\n')) {
    const [, space = '', fence = '', rest = ''] = /^( {0,3})(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (open === null) {
      // A line of backticks with more of them behind it is inline code.
      if (fence !== '' && !(fence.startsWith('`') && rest.includes('`'))) {
        open = { fence, indent: space.length, lines: [] };
      }
    } else if (fence.startsWith(open.fence) && rest.trim() === '') {
      found = open.lines.join('\n');
      open = null;
    } else {
      open.lines.push(line.replace(new RegExp(`^ {0,${open.indent}}`), ''));
    }
  }
  return found;
}
