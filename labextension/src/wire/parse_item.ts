import { flag, list, maybe, number, oneOf, text, textOrNull, texts } from './read';
import type {
  Attachment,
  ContentBlockItem,
  Diff,
  Item,
  Permission,
  PermissionOption,
  PlanEntry,
  ToolCall,
} from './types';

type Fields = Readonly<Record<string, unknown>>;

/** One item of a saved record, or `null` for a kind that is not known. */
export function parseItem(value: Fields): Item | null {
  const id = text(value, 'id');
  if (id === '') {
    return null;
  }
  const base = { id, turn_id: textOrNull(value, 'turn_id') };
  switch (value.kind) {
    case 'user_message':
      return {
        ...base,
        kind: 'user_message',
        text: text(value, 'text'),
        attachments: list(value, 'attachments', parseAttachment),
        at: number(value, 'at'),
      };
    case 'agent_message':
      return { ...base, kind: 'agent_message', text: text(value, 'text'), open: false };
    case 'thought':
      return {
        ...base,
        kind: 'thought',
        text: text(value, 'text'),
        open: false,
        started_at: number(value, 'started_at'),
        ended_at: number(value, 'ended_at'),
      };
    case 'content_block':
      return parseContentBlock(value);
    case 'tool_call':
      return parseToolCall(base, value);
    case 'plan':
      return {
        ...base,
        kind: 'plan',
        plan_id: text(value, 'plan_id'),
        entries: list(value, 'entries', parsePlanEntry),
        text: text(value, 'text'),
      };
    case 'notice':
      return {
        ...base,
        kind: 'notice',
        severity: oneOf(value, 'severity', ['info', 'warning', 'error']),
        title: text(value, 'title'),
        text: text(value, 'text'),
      };
    case 'error':
      return {
        ...base,
        kind: 'error',
        message: text(value, 'message'),
        detail: text(value, 'detail'),
        reason: text(value, 'reason'),
        code: text(value, 'code'),
      };
    case 'turn_end':
      return {
        ...base,
        kind: 'turn_end',
        stop_reason: text(value, 'stop_reason'),
        words: text(value, 'words'),
        duration_seconds: number(value, 'duration_seconds'),
      };
    default:
      return null;
  }
}

function parseToolCall(base: Pick<ToolCall, 'id' | 'turn_id'>, value: Fields): ToolCall {
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
    title: text(value, 'title'),
    description: text(value, 'description'),
    status: oneOf(value, 'status', ['pending', 'in_progress', 'completed', 'failed', 'cancelled']),
    command: text(value, 'command'),
    path: text(value, 'path'),
    paths: texts(value, 'paths'),
    line: number(value, 'line'),
    is_new_file: typeof value.is_new_file === 'boolean' ? value.is_new_file : null,
    output: text(value, 'output'),
    exit_code: number(value, 'exit_code'),
    diffs: list(value, 'diffs', parseDiff),
    blocks: list(value, 'blocks', parseContentBlock),
    raw_input: value.raw_input ?? null,
    raw_output: value.raw_output ?? null,
    permission: maybe(value, 'permission', parsePermission),
    started_at: number(value, 'started_at'),
    ended_at: number(value, 'ended_at'),
  };
}

function parseContentBlock(value: Fields): ContentBlockItem {
  return {
    id: text(value, 'id'),
    turn_id: textOrNull(value, 'turn_id'),
    kind: 'content_block',
    type: oneOf(value, 'type', ['other', 'image', 'audio', 'resource_link', 'resource']),
    data: typeof value.data === 'string' ? value.data : '',
    mime_type: text(value, 'mime_type'),
    uri: text(value, 'uri'),
    name: text(value, 'name'),
    text: text(value, 'text'),
    size: number(value, 'size'),
  };
}

function parseAttachment(value: Fields): Attachment {
  return {
    type: oneOf(value, 'type', ['resource', 'image', 'audio', 'resource_link']),
    name: text(value, 'name'),
    uri: text(value, 'uri'),
    mime_type: text(value, 'mime_type'),
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
  };
}

function parsePlanEntry(value: Fields): PlanEntry {
  return {
    content: text(value, 'content'),
    priority: oneOf(value, 'priority', ['medium', 'high', 'low']),
    status: oneOf(value, 'status', ['pending', 'in_progress', 'completed']),
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
    options: list(value, 'options', parseOption),
    chosen: text(value, 'chosen'),
    outcome: text(value, 'outcome'),
    asked_at: number(value, 'asked_at'),
  };
}

function parseOption(value: Fields): PermissionOption {
  return {
    option_id: text(value, 'option_id'),
    name: text(value, 'name'),
    option_kind: text(value, 'option_kind'),
  };
}
