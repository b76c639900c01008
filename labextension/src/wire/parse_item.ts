import { BLOCK_TYPES, parseContentBlock, parseToolCall } from './parse_tool';
import { flag, list, number, oneOf, text, textOrNull } from './read';
import type { Fields } from './read';
import type {
  Attachment,
  Elicitation,
  ElicitationAnswer,
  ElicitationField,
  Item,
  PlanEntry,
} from './types';

/** Parses an item of a saved output; `null` for an unknown kind. */
export function parseItem(value: Fields): Item | null {
  const id = text(value, 'id');
  if (id === '') {
    return null;
  }
  const base = { id, turn_id: textOrNull(value, 'turn_id') };
  const step = { ...base, parent_id: text(value, 'parent_id') };
  switch (value.kind) {
    case 'user_message':
      return {
        ...base,
        kind: 'user_message',
        text: text(value, 'text'),
        attachments: list(value, 'attachments', parseAttachment),
        at: number(value, 'at'),
        steered: flag(value, 'steered'),
      };
    case 'agent_message':
      return { ...step, kind: 'agent_message', text: text(value, 'text'), open: false };
    case 'thought':
      return {
        ...step,
        kind: 'thought',
        title: text(value, 'title'),
        text: text(value, 'text'),
        open: false,
        started_at: number(value, 'started_at'),
        ended_at: number(value, 'ended_at'),
      };
    case 'content_block':
      return parseContentBlock(value);
    case 'tool_call':
      return parseToolCall(step, value);
    case 'elicitation':
      return parseElicitation(base, value);
    case 'trust_request':
      return {
        ...base,
        kind: 'trust_request',
        request_id: text(value, 'request_id'),
        state: oneOf(value, 'state', ['cancelled', 'pending', 'trusted', 'declined']),
        agent_name: text(value, 'agent_name'),
        folder: text(value, 'folder'),
        title: text(value, 'title'),
        words: text(value, 'words'),
        outcome: text(value, 'outcome'),
        answered_by: text(value, 'answered_by'),
        asked_at: number(value, 'asked_at'),
      };
    case 'plan':
      return {
        ...base,
        kind: 'plan',
        plan_id: text(value, 'plan_id'),
        entries: list(value, 'entries', parsePlanEntry),
        text: text(value, 'text'),
      };
    case 'artifact':
      return {
        ...base,
        kind: 'artifact',
        artifact_id: text(value, 'artifact_id'),
        type: oneOf(value, 'type', [
          'other',
          'web_app',
          'markdown',
          'image',
          'csv',
          'excel',
          'pptx',
          'docx',
          'pdf',
          'code',
        ]),
        type_name: text(value, 'type_name'),
        name: text(value, 'name'),
        path: text(value, 'path'),
        preview_url: text(value, 'preview_url'),
        download_url: text(value, 'download_url'),
        mime_type: text(value, 'mime_type'),
        size_bytes: number(value, 'size_bytes'),
        size: text(value, 'size'),
      };
    case 'file_write':
      return {
        ...base,
        kind: 'file_write',
        path: text(value, 'path'),
        title: text(value, 'title'),
        size_bytes: number(value, 'size_bytes'),
        size: text(value, 'size'),
      };
    case 'notice':
      return {
        ...base,
        kind: 'notice',
        severity: oneOf(value, 'severity', ['info', 'warning', 'error']),
        title: text(value, 'title'),
        text: text(value, 'text'),
        detail: text(value, 'detail'),
        offers: oneOf(value, 'offers', ['', 'rewind', 'undo_rewind']),
        target: text(value, 'target'),
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
        summary: text(value, 'summary'),
        duration_seconds: number(value, 'duration_seconds'),
        input_tokens: number(value, 'input_tokens'),
        output_tokens: number(value, 'output_tokens'),
      };
    default:
      return null;
  }
}

function parseAttachment(value: Fields): Attachment {
  return {
    type: oneOf(value, 'type', BLOCK_TYPES),
    name: text(value, 'name'),
    uri: text(value, 'uri'),
    mime_type: text(value, 'mime_type'),
  };
}

function parsePlanEntry(value: Fields): PlanEntry {
  return {
    content: text(value, 'content'),
    priority: oneOf(value, 'priority', ['medium', 'high', 'low']),
    status: oneOf(value, 'status', ['pending', 'in_progress', 'completed']),
  };
}

type Base = Pick<Elicitation, 'id' | 'turn_id'>;

/** Parses a question of a saved output; it is drawn without controls. */
export function parseElicitation(base: Base, value: Fields): Elicitation {
  return {
    ...base,
    kind: 'elicitation',
    request_id: text(value, 'request_id'),
    state: oneOf(value, 'state', ['expired', 'pending', 'accepted', 'declined', 'cancelled']),
    mode: oneOf(value, 'mode', ['form', 'url', 'other']),
    title: text(value, 'title'),
    heading: text(value, 'heading'),
    message: text(value, 'message'),
    description: text(value, 'description'),
    fields: list(value, 'fields', parseField),
    url: text(value, 'url'),
    host: text(value, 'host'),
    tool_call_id: text(value, 'tool_call_id'),
    answers: list(value, 'answers', parseAnswer),
    outcome: text(value, 'outcome'),
    answered_by: text(value, 'answered_by'),
    asked_at: number(value, 'asked_at'),
  };
}

function parseAnswer(value: Fields): ElicitationAnswer {
  return { name: text(value, 'name'), label: text(value, 'label'), text: text(value, 'text') };
}

function parseField(value: Fields): ElicitationField {
  return {
    name: text(value, 'name'),
    label: text(value, 'label'),
    description: text(value, 'description'),
    type: oneOf(value, 'type', [
      'unknown',
      'text',
      'number',
      'integer',
      'boolean',
      'choice',
      'choices',
    ]),
    words: text(value, 'words'),
    required: flag(value, 'required'),
    secret: flag(value, 'secret'),
    default: null,
    choices: [],
    min_length: number(value, 'min_length'),
    max_length: number(value, 'max_length'),
    pattern: text(value, 'pattern'),
    format: text(value, 'format'),
    minimum: number(value, 'minimum'),
    maximum: number(value, 'maximum'),
    min_items: number(value, 'min_items'),
    max_items: number(value, 'max_items'),
  };
}
