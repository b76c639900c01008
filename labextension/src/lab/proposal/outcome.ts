import { pendingRequest } from '../../state/items';
import type { SessionView } from '../../state/session_view';
import { textOf } from '../../state/texts';
import { isRecord } from '../../wire/read';
import type { Item, Permission, ToolCall } from '../../wire/types';
import { argumentsShown } from '../page/tool_arguments';

/** The options of a permission request that accept or decline a proposal. */
export interface Request {
  readonly requestId: string;
  readonly allow: string;
  readonly reject: string | null;
}

/** A new source, and the request that applies it; without a request the source is in the answer. */
export interface Proposal {
  readonly source: string;
  readonly request: Request | null;
}

/** An agent asks whether it may use a tool that only reads. */
export interface Question {
  /** The tool as the agent names it, with its arguments. */
  readonly tool: string;
  readonly request: Request;
}

/** The outcome of a prompt for a fix. */
export type Outcome =
  | { readonly kind: 'waits'; readonly for: 'queue' | 'agent' | 'answer' }
  | ({ readonly kind: 'asks' } & Question)
  | ({ readonly kind: 'proposal' } & Proposal)
  /** The tool has changed the cell. */
  | { readonly kind: 'edited'; readonly source: string }
  /** The tool was allowed to change the cell, and could not. */
  | { readonly kind: 'refused' }
  /** The turn ended without a proposal. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'failed'; readonly message: string; readonly stopped: boolean };

/** Reads a turn's outcome for a cell; `asked` is the source that was sent to the agent. */
export function outcomeOf(
  view: SessionView,
  turnId: string,
  { cellId, asked }: { readonly cellId: string; readonly asked: string },
): Outcome {
  const items = (view.byTurn.get(turnId) ?? []).flatMap(id => view.items.get(id) ?? []);
  for (const item of [...items].reverse()) {
    const source = item.kind === 'tool_call' ? proposedBy(item, cellId, asked) : null;
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
    const [open, ...others] = items.filter(item => pendingRequest(item) !== null);
    const waiting = turn === undefined || turn.status === 'queued' ? 'queue' : 'agent';
    if (open === undefined && !asksForTrust(view)) {
      return { kind: 'waits', for: waiting };
    }
    const only = others.length === 0 && !asksForTrust(view) ? open : undefined;
    const question = only?.kind === 'tool_call' ? questionOf(only) : null;
    return question === null ? { kind: 'waits', for: 'answer' } : { kind: 'asks', ...question };
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

/** The new source in a call of `edit_cell`, for a cell whose source was sent to the agent. */
function proposedBy({ raw_input: raw }: ToolCall, cellId: string, asked: string): string | null {
  for (const { cell_id, source, edits } of argumentsShown(raw)) {
    if (cell_id === cellId && typeof source === 'string') {
      return source;
    }
    if (cell_id === cellId && Array.isArray(edits)) {
      return edited(asked, edits);
    }
  }
  return null;
}

/** Carries out edits of a text as the tool does; `null` if the tool would refuse them. */
function edited(source: string, edits: readonly unknown[]): string | null {
  let text = source;
  for (const edit of edits) {
    const { old, new: now, all } = isRecord(edit) ? edit : {};
    const pieces = typeof old === 'string' && old !== '' ? text.split(old) : [];
    if (typeof now !== 'string' || pieces.length < 2 || (pieces.length > 2 && all !== true)) {
      return null;
    }
    text = pieces.join(now);
  }
  return text;
}

/** The notebook's tools that change nothing and run nothing, as agents name them. */
const READS =
  /^\w*notebook[^a-z]{1,4}(?:list_cells|read_cells|list_variables|list_tables|describe_table|last_error|inspect|complete)$/;

/** A text that the cell's note can show in one line; other requests need their own card. */
const SHORT = /^[\x20-\x7e]{0,200}$/;

/** The question of a request for a tool that only reads. */
function questionOf(call: ToolCall): Question | null {
  const { tool_name: name, title, raw_input: raw, permission } = call;
  const given = JSON.stringify(raw ?? {});
  const hasMore = title !== name || call.command !== '' || call.diffs.length > 0;
  const isWhole = permission?.details.every(detail => isRecord(raw) && detail.name in raw);
  if (permission === null || isWhole !== true || permission.too_large || hasMore) {
    return null;
  }
  const request = READS.test(name) && SHORT.test(given) ? requestOf(permission) : null;
  return request === null ? null : { tool: given === '{}' ? name : `${name} ${given}`, request };
}

/** The options that accept and decline a proposal; `null` unless exactly one allows it once. */
function requestOf({ request_id: requestId, options }: Permission): Request | null {
  const ofKind = (kind: string) => options.filter(({ option_kind }) => option_kind === kind);
  const [allow, ...others] = ofKind('allow_once');
  return allow === undefined || others.length > 0
    ? null
    : { requestId, allow: allow.option_id, reject: ofKind('reject_once')[0]?.option_id ?? null };
}

/** Whether the session asks, outside any turn, whether its folder is trusted. */
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

/** The source of an answer's last code block; `null` if none is closed. */
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
