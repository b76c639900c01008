import { flag, isRecord, list, maybe, number, text, textOrNull, texts } from './read';
import { expandRecord, RECORD_VERSION } from './saved_record';
import { KINDS, SHAPES } from './saved_shapes';
import type { Fields } from './read';
import type { Item, TurnSnapshot } from './types';

/** More than we ever save; drawing more would take seconds. */
const SAVED_ITEMS = 1_500;

type Model = keyof typeof SHAPES;

type Form = string | number | readonly string[];

type Overrides = { readonly [Name in Model]?: Fields };

/** What a field is read as if a notebook has something else there: what does no harm. */
const OTHERWISE: Overrides = {
  Attachment: { type: 'resource' },
  ChangedFile: { change: 'modified' },
  ContentBlockItem: { type: 'other' },
  Elicitation: { state: 'expired' },
  ElicitationField: { type: 'unknown' },
  Permission: { state: 'expired' },
  SearchHit: { line: 1 },
  TrustRequest: { state: 'cancelled' },
  TurnState: { status: 'done' },
};

/** Fields that only a live turn needs: a saved one has no controls. */
const FIXED: Overrides = {
  AgentMessage: { open: false },
  ChangedFile: { new_mode: null, came_from: '', together: [], old_text_id: '', new_text_id: '' },
  ElicitationField: { default: null, choices: [] },
  Permission: { wider_rules: [] },
  TerminalView: { can_cancel: false },
  Thought: { open: false },
  ToolCall: { can_cancel: false, cancelling: false, subagent_session_id: '' },
  TurnChanges: { checkpoint: '', already: [], put_folders: [] },
  // Each answer names the rule that gave it, and a saved turn belongs to its own cell.
  TurnState: { rules: [], copy_of: null },
  Wall: { offers: '', environment: '' },
};

/** Makes a value of an older version what this one has, and cuts what is shown in one line. */
const PREPARED: { readonly [Name in Model]?: (value: Fields) => Fields } = {
  CellError: value => ({
    ...value,
    cell: text(value, 'cell').slice(0, 40),
    words: text(value, 'words').slice(0, 200),
  }),
  // They saved no line numbers, and counted from 1.
  Diff: value => ({ old_line: 1, new_line: 1, ...value }),
  // They called the first line `line`, and saved paths without lines.
  ToolCall: value => {
    const { line, locations } = value;
    const places = texts(value, 'paths').map((path, nth) =>
      nth === 0 ? { path, line } : { path },
    );
    return { first_line: line, ...value, locations: Array.isArray(locations) ? locations : places };
  },
};

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
  const whole = version === 1 ? value : expandRecord(value, metadata);
  const found = read('TurnSnapshot', whole) as unknown as TurnSnapshot;
  const { turn_id, session_id, turn } = found;
  return turn_id === '' || session_id === ''
    ? null
    : { ...found, version: 1, turn: { ...turn, turn_id, session_id } };
}

/** Parses an item of a saved output; `null` for an unknown kind. */
export function parseItem(value: Fields): Item | null {
  const kind = Object.keys(KINDS).find(each => each === value.kind) as keyof typeof KINDS;
  const isItem = value.kind === kind && text(value, 'id') !== '';
  return isItem ? (read(KINDS[kind], value) as unknown as Item) : null;
}

/** Reads a model from unchecked values; `null` if it lacks a field without which it is nothing. */
function read(model: Model, value: Fields): Fields | null {
  const from = PREPARED[model]?.(value) ?? value;
  const made: Record<string, unknown> = {};
  for (const [name, form] of Object.entries<Form>(SHAPES[model])) {
    made[name] = readField(from, name, form, OTHERWISE[model]?.[name]);
    const isEmptyPath = made[name] === '' && (model === 'Location' || model === 'ChangedFile');
    if (made[name] === undefined || (name === 'path' && isEmptyPath)) {
      return null;
    }
  }
  return { ...made, ...FIXED[model] };
}

/** Reads a field; `scripts/gen_types.py:_form` says what the forms mean. */
function readField(from: Fields, name: string, form: Form, otherwise: unknown): unknown {
  const value = from[name];
  if (typeof form === 'number') {
    return number(from, name) ?? form;
  }
  if (typeof form === 'object') {
    return form.find(choice => choice === value) ?? otherwise ?? form[0];
  }
  const [, kind = '', isList, isOptional] = /^(\w+)(\[\])?(\?)?$/.exec(form) ?? [];
  if (isList !== undefined) {
    return isOptional !== undefined && !Array.isArray(value) ? null : readList(from, name, kind);
  }
  switch (kind) {
    case 'text':
      return isOptional === undefined ? textOf(from, name) : textOrNull(from, name);
    case 'number':
      return number(from, name) ?? (isOptional === undefined ? otherwise : null);
    case 'flag':
      return isOptional !== undefined && typeof value !== 'boolean' ? null : flag(from, name);
    case 'json':
      return value ?? null;
    default: {
      const found = maybe(from, name, each => read(kind as Model, each));
      return isOptional === undefined ? (found ?? read(kind as Model, {})) : found;
    }
  }
}

function readList(from: Fields, name: string, kind: string): unknown[] {
  switch (kind) {
    case 'text':
      return texts(from, name);
    case 'Item':
      return list(from, name, parseItem, SAVED_ITEMS);
    default:
      return list(from, name, each => read(kind as Model, each));
  }
}

/** A text; the data of a picture or sound are only useful whole. */
function textOf(from: Fields, name: string): string {
  return name === 'data' && typeof from.data === 'string' ? from.data : text(from, name);
}
