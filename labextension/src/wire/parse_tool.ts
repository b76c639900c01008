import { flag, list, maybe, number, oneOf, text, textOrNull, texts } from './read';
import type { Fields } from './read';
import type {
  ContentBlockItem,
  Detail,
  Diagnostic,
  Diff,
  Location,
  Permission,
  PermissionOption,
  SearchHit,
  TerminalView,
  TodoItem,
  ToolCall,
  Wall,
} from './types';

/** Parses a tool call of a saved output, of this version or an older one. */
export function parseToolCall(
  base: Pick<ToolCall, 'id' | 'turn_id' | 'parent_id'>,
  value: Fields,
): ToolCall {
  return {
    ...base,
    kind: 'tool_call',
    tool_call_id: text(value, 'tool_call_id'),
    tool_kind: oneOf(value, 'tool_kind', [
      'other',
      'read',
      'edit',
      'delete',
      'move',
      'search',
      'execute',
      'think',
      'fetch',
      'switch_mode',
    ]),
    ui_kind: oneOf(value, 'ui_kind', ['other', 'search', 'read', 'execute', 'edit', 'task']),
    tool_name: text(value, 'tool_name'),
    subagent_type: text(value, 'subagent_type'),
    title: text(value, 'title'),
    description: text(value, 'description'),
    status: oneOf(value, 'status', ['pending', 'in_progress', 'completed', 'failed', 'cancelled']),
    command: text(value, 'command'),
    path: text(value, 'path'),
    locations: parseLocations(value),
    is_new_file: typeof value.is_new_file === 'boolean' ? value.is_new_file : null,
    output: text(value, 'output'),
    // Older versions called it `line`.
    first_line: number(value, 'first_line' in value ? 'first_line' : 'line'),
    exit_code: number(value, 'exit_code'),
    truncated: flag(value, 'truncated'),
    files: Array.isArray(value.files) ? texts(value, 'files') : null,
    hits: Array.isArray(value.hits) ? list(value, 'hits', parseHit) : null,
    remarks: texts(value, 'remarks'),
    count: number(value, 'count'),
    todos: Array.isArray(value.todos) ? list(value, 'todos', parseTodo) : null,
    diagnostics: list(value, 'diagnostics', parseDiagnostic),
    progress: number(value, 'progress'),
    message: text(value, 'message'),
    diffs: list(value, 'diffs', parseDiff),
    blocks: list(value, 'blocks', parseContentBlock),
    raw_input: value.raw_input ?? null,
    raw_output: value.raw_output ?? null,
    permission: maybe(value, 'permission', parsePermission),
    terminal: maybe(value, 'terminal', parseTerminal),
    wall: maybe(value, 'wall', parseWall),
    background: flag(value, 'background'),
    can_cancel: false,
    cancelling: false,
    subagent_session_id: '',
    started_at: number(value, 'started_at'),
    ended_at: number(value, 'ended_at'),
  };
}

/** Older versions saved paths, and the line of the first of them separately. */
function parseLocations(value: Fields): Location[] {
  if (Array.isArray(value.locations)) {
    return list(value, 'locations', parseLocation);
  }
  const line = number(value, 'line');
  return texts(value, 'paths').map((path, index) => ({ path, line: index === 0 ? line : null }));
}

function parseLocation(value: Fields): Location | null {
  const path = text(value, 'path');
  return path === '' ? null : { path, line: number(value, 'line') };
}

function parseHit(value: Fields): SearchHit {
  return {
    path: text(value, 'path'),
    line: number(value, 'line') ?? 1,
    text: text(value, 'text'),
  };
}

function parseTodo(value: Fields): TodoItem {
  return {
    content: text(value, 'content'),
    status: oneOf(value, 'status', ['pending', 'in_progress', 'completed']),
    active_form: text(value, 'active_form'),
  };
}

function parseDiagnostic(value: Fields): Diagnostic {
  return {
    path: text(value, 'path'),
    line: number(value, 'line'),
    severity: oneOf(value, 'severity', ['error', 'warning', 'info']),
    message: text(value, 'message'),
  };
}

function parseDiff(value: Fields): Diff {
  return {
    path: text(value, 'path'),
    old_text: textOrNull(value, 'old_text'),
    new_text: text(value, 'new_text'),
    is_new_file: flag(value, 'is_new_file'),
    added: number(value, 'added'),
    removed: number(value, 'removed'),
    old_line: lineOf(value, 'old_line'),
    new_line: lineOf(value, 'new_line'),
  };
}

/** Older versions saved no line numbers, and counted from 1. */
function lineOf(value: Fields, name: string): number | null {
  return name in value ? number(value, name) : 1;
}

/** Parses a terminal; a saved one can't be stopped. */
function parseTerminal(value: Fields): TerminalView {
  return {
    terminal_id: text(value, 'terminal_id'),
    command: text(value, 'command'),
    cwd: text(value, 'cwd'),
    running: flag(value, 'running'),
    exit_code: number(value, 'exit_code'),
    signal: text(value, 'signal'),
    by: oneOf(value, 'by', ['', 'agent', 'user', 'time_limit', 'session']),
    released: flag(value, 'released'),
    own: flag(value, 'own'),
    by_user: flag(value, 'by_user'),
    can_cancel: false,
    truncated: flag(value, 'truncated'),
  };
}

/** Parses a wall; in a saved output the user can do nothing about it. */
function parseWall(value: Fields): Wall {
  return {
    path: text(value, 'path'),
    words: text(value, 'words'),
    offers: '',
    environment: '',
    run_id: text(value, 'run_id'),
  };
}

function parsePermission(value: Fields): Permission {
  return {
    request_id: text(value, 'request_id'),
    state: oneOf(value, 'state', [
      'expired',
      'pending',
      'allowed',
      'rejected',
      'answered',
      'cancelled',
    ]),
    title: text(value, 'title'),
    reason: text(value, 'reason'),
    folder: text(value, 'folder'),
    details: list(value, 'details', parseDetail),
    cautions: texts(value, 'cautions'),
    text_differs: flag(value, 'text_differs'),
    too_large: flag(value, 'too_large'),
    options: list(value, 'options', parseOption),
    chosen: text(value, 'chosen'),
    outcome: text(value, 'outcome'),
    without_user: flag(value, 'without_user'),
    answered_by: text(value, 'answered_by'),
    rule: text(value, 'rule'),
    wider_rules: [],
    asked_at: number(value, 'asked_at'),
  };
}

function parseDetail(value: Fields): Detail {
  return { name: text(value, 'name'), value: text(value, 'value') };
}

function parseOption(value: Fields): PermissionOption {
  return {
    option_id: text(value, 'option_id'),
    name: text(value, 'name'),
    option_kind: text(value, 'option_kind'),
  };
}

/** The content blocks that are not text; the first stands for one that is not known. */
export const BLOCK_TYPES = ['resource', 'resource_link', 'image', 'audio'] as const;

/** Parses a content block of a saved output, by itself or of a tool call. */
export function parseContentBlock(value: Readonly<Record<string, unknown>>): ContentBlockItem {
  return {
    id: text(value, 'id'),
    turn_id: textOrNull(value, 'turn_id'),
    parent_id: text(value, 'parent_id'),
    kind: 'content_block',
    type: oneOf(value, 'type', ['other', ...BLOCK_TYPES]),
    data: typeof value.data === 'string' ? value.data : '',
    mime_type: text(value, 'mime_type'),
    uri: text(value, 'uri'),
    name: text(value, 'name'),
    text: text(value, 'text'),
    size: number(value, 'size'),
  };
}
