import { parseChanges } from './parse_changes';
import { parseItem } from './parse_item';
import { isRecord, list, maybe, number, oneOf, text, texts } from './read';
import type { AgentInfo, Origin, ServerFrame, TurnFailure, TurnSnapshot, TurnState } from './types';

type Fields = Readonly<Record<string, unknown>>;

/** More than fit into a record that we write; drawing many takes seconds. */
const SAVED_ITEMS = 1_500;

/**
 * A frame of our own server, or `null` for what is none.
 *
 * Only what a page of another version could get wrong is looked at; the server
 * has built the rest from the models that the types come from.
 */
export function parseServerFrame(data: string): ServerFrame | null {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return null;
  }
  return isRecord(value) && isServerFrame(value) ? (value as unknown as ServerFrame) : null;
}

/** The value of the turn MIME type, which may come from any notebook: read field by field. */
export function parseSnapshot(value: unknown): TurnSnapshot | null {
  if (!isRecord(value) || number(value, 'version') !== 1) {
    return null;
  }
  const turnId = text(value, 'turn_id');
  const sessionId = text(value, 'session_id');
  if (turnId === '' || sessionId === '') {
    return null;
  }
  const agent = maybe(value, 'agent', parseAgent) ?? { id: '', name: '', version: '' };
  const turn = isRecord(value.turn) ? value.turn : {};
  return {
    version: 1,
    turn_id: turnId,
    session_id: sessionId,
    final: value.final === true,
    agent,
    session_title: text(value, 'session_title'),
    turn: parseTurn(turnId, sessionId, turn),
    items: list(value, 'items', parseItem, SAVED_ITEMS),
    footer: texts(value, 'footer'),
  };
}

function isServerFrame(frame: Fields): boolean {
  switch (frame.type) {
    case 'hello':
      return (
        typeof frame.api_version === 'number' &&
        typeof frame.user === 'string' &&
        Array.isArray(frame.sessions)
      );
    case 'sessions':
      return Array.isArray(frame.sessions);
    case 'events':
      return (
        typeof frame.session_id === 'string' &&
        Array.isArray(frame.events) &&
        frame.events.every(isEvent)
      );
    case 'reply':
      return typeof frame.id === 'number';
    case 'ask':
      return typeof frame.id === 'number' && typeof frame.path === 'string';
    case 'error':
      return isRecord(frame.error) && typeof frame.error.message === 'string';
    default:
      return false;
  }
}

function isEvent(event: unknown): boolean {
  if (!isRecord(event) || typeof event.seq !== 'number' || typeof event.session_id !== 'string') {
    return false;
  }
  switch (event.kind) {
    case 'snapshot':
      return (
        isRecord(event.session) &&
        Array.isArray(event.turns) &&
        event.turns.every(isTurn) &&
        Array.isArray(event.items) &&
        event.items.every(isItem)
      );
    case 'item_added':
      return isItem(event.item) && typeof event.index === 'number';
    case 'item_replaced':
      return isItem(event.item);
    case 'item_closed':
      return typeof event.item_id === 'string' && typeof event.at === 'number';
    case 'text_appended':
      return (
        typeof event.item_id === 'string' &&
        typeof event.offset === 'number' &&
        typeof event.text === 'string' &&
        (event.field === 'text' || event.field === 'output')
      );
    case 'session_changed':
      return isRecord(event.session);
    case 'turn_started':
    case 'turn_ended':
      return isTurn(event.turn);
    default:
      return false;
  }
}

function isItem(value: unknown): boolean {
  return isRecord(value) && typeof value.id === 'string' && typeof value.kind === 'string';
}

function isTurn(value: unknown): boolean {
  return isRecord(value) && typeof value.turn_id === 'string';
}

function parseAgent(value: Fields): AgentInfo {
  return { id: text(value, 'id'), name: text(value, 'name'), version: text(value, 'version') };
}

function parseTurn(turnId: string, sessionId: string, value: Fields): TurnState {
  return {
    turn_id: turnId,
    session_id: sessionId,
    status: oneOf(value, 'status', ['done', 'queued', 'running', 'requires_action']),
    stop_reason: text(value, 'stop_reason'),
    words: text(value, 'words'),
    prompt: text(value, 'prompt'),
    user: text(value, 'user'),
    policy: oneOf(value, 'policy', ['ask', 'read-only', 'accept-edits', 'allow-all', 'deny']),
    // What was answered without asking is told by each answer.
    rules: [],
    origin: maybe(value, 'origin', parseOrigin),
    queued_at: number(value, 'queued_at'),
    started_at: number(value, 'started_at'),
    ended_at: number(value, 'ended_at'),
    failure: maybe(value, 'failure', parseFailure),
    tokens: number(value, 'tokens'),
    input_tokens: number(value, 'input_tokens'),
    output_tokens: number(value, 'output_tokens'),
    changes: maybe(value, 'changes', parseChanges),
  };
}

function parseOrigin(value: Fields): Origin {
  return {
    kernel_id: text(value, 'kernel_id'),
    notebook_path: text(value, 'notebook_path'),
    cell_id: text(value, 'cell_id'),
    source: text(value, 'source'),
  };
}

function parseFailure(value: Fields): TurnFailure {
  return {
    message: text(value, 'message'),
    detail: text(value, 'detail'),
    reason: text(value, 'reason'),
  };
}
