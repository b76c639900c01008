import { parseItem } from './parse_item';
import { flag, isRecord, list, maybe, number, oneOf, text, texts } from './read';
import { policyOf } from './policy';
import { sandboxOf } from './sandbox';
import { expandRecord, RECORD_VERSION } from './saved_record';
import type { Fields } from './read';
import type {
  AgentInfo,
  CellError,
  ChangedFile,
  Hunk,
  Origin,
  TurnChanges,
  TurnFailure,
  TurnSnapshot,
  TurnState,
} from './types';

/** More than we ever save; drawing more would take seconds. */
const SAVED_ITEMS = 1_500;

/**
 * Parses the turn MIME type's value field by field, since it may come from any notebook.
 *
 * `metadata` is that of its output. A record of the first version has every field in its place.
 */
export function parseSnapshot(value: unknown, metadata: unknown): TurnSnapshot | null {
  const version = isRecord(value) ? number(value, 'version') : null;
  if (!isRecord(value) || (version !== 1 && version !== RECORD_VERSION)) {
    return null;
  }
  return parseWhole(version === 1 ? value : expandRecord(value, metadata));
}

function parseWhole(value: Fields): TurnSnapshot | null {
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
    policy: policyOf(value.policy),
    sandbox: sandboxOf(value.sandbox),
    // Each answer names the rule that gave it.
    rules: [],
    origin: maybe(value, 'origin', parseOrigin),
    // A saved turn belongs to its own cell.
    copy_of: null,
    queued_at: number(value, 'queued_at'),
    started_at: number(value, 'started_at'),
    ended_at: number(value, 'ended_at'),
    failure: maybe(value, 'failure', parseFailure),
    tokens: number(value, 'tokens'),
    input_tokens: number(value, 'input_tokens'),
    output_tokens: number(value, 'output_tokens'),
    changes: maybe(value, 'changes', parseChanges),
    changes_unknown: text(value, 'changes_unknown'),
    variant: number(value, 'variant') ?? 0,
    in_copy: flag(value, 'in_copy'),
  };
}

function parseOrigin(value: Fields): Origin {
  return {
    kernel_id: text(value, 'kernel_id'),
    notebook_path: text(value, 'notebook_path'),
    cell_id: text(value, 'cell_id'),
    view_id: text(value, 'view_id'),
    source: text(value, 'source'),
    error: maybe(value, 'error', parseCellError),
  };
}

function parseCellError(value: Fields): CellError {
  return {
    cell: text(value, 'cell').slice(0, 40),
    cell_id: text(value, 'cell_id'),
    words: text(value, 'words').slice(0, 200),
  };
}

function parseFailure(value: Fields): TurnFailure {
  return {
    message: text(value, 'message'),
    detail: text(value, 'detail'),
    reason: text(value, 'reason'),
  };
}

/** Parses what a saved turn changed. */
export function parseChanges(value: Fields): TurnChanges {
  return {
    files: list(value, 'files', parseFile),
    left_out: number(value, 'left_out') ?? 0,
    unknown_left_out: number(value, 'unknown_left_out') ?? 0,
    revertible: flag(value, 'revertible'),
    words: text(value, 'words'),
    checkpoint: '',
    made_folders: texts(value, 'made_folders'),
    already: [],
    put_folders: [],
  };
}

function parseFile(value: Fields): ChangedFile | null {
  const path = text(value, 'path');
  return path === ''
    ? null
    : {
        path,
        author: oneOf(value, 'author', ['', 'agent', 'another', 'you', 'unknown']),
        yours_too: flag(value, 'yours_too'),
        change: oneOf(value, 'change', ['modified', 'added', 'deleted', 'renamed', 'type']),
        old_path: text(value, 'old_path'),
        added: number(value, 'added'),
        removed: number(value, 'removed'),
        binary: flag(value, 'binary'),
        size: number(value, 'size'),
        old_mode: number(value, 'old_mode'),
        kept: flag(value, 'kept'),
        words: text(value, 'words'),
        reverted: flag(value, 'reverted'),
        reverted_hunks: list(value, 'reverted_hunks', parseHunk),
        kept_hunks: list(value, 'kept_hunks', parseHunk),
        // Fields that only a live turn needs.
        new_mode: null,
        came_from: '',
        together: [],
        old_text_id: '',
        new_text_id: '',
      };
}

function parseHunk(value: Fields): Hunk | null {
  const [old_start, old_end] = [number(value, 'old_start'), number(value, 'old_end')];
  const [new_start, new_end] = [number(value, 'new_start'), number(value, 'new_end')];
  return old_start === null || old_end === null || new_start === null || new_end === null
    ? null
    : { old_start, old_end, new_start, new_end };
}
