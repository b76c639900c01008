import { isRecord } from './read';
import type {
  Command,
  Results,
  SavedOutput as SentOutput,
  SavedOutputs as SentOutputs,
  TurnState,
} from './types';

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** A turn of a notebook with the output that its cell should have. */
export interface SavedOutput extends Omit<SentOutput, 'bundle'> {
  readonly bundle: {
    readonly data: { [mime: string]: Json };
    readonly metadata: { [mime: string]: Json };
  };
}

/** The turns of a notebook that have changed. */
export interface SavedOutputs extends Omit<SentOutputs, 'outputs'> {
  readonly outputs: readonly SavedOutput[];
}

/** What the server answers to each command, by the command's name. */
export interface Answers extends Omit<Results, 'get_records' | 'prompt'> {
  get_records: SavedOutputs;
  prompt: Pick<TurnState, 'turn_id'>;
}

/** The commands that a page may send. */
export type PageCommand = Extract<Command, { name: keyof Answers }>;

/** Sends a command; resolves to what the server answers. */
export type Run = <Sent extends PageCommand>(command: Sent) => Promise<Answers[Sent['name']]>;

/** The checks of answers of which the page uses something. */
const SHAPES: { readonly [Name in keyof Answers]?: (value: unknown) => boolean } = {
  list_agents: listOf('id', 'name', 'status'),
  get_registry: recordOf('date', 'failure'),
  update_registry: recordOf('date', 'failure'),
  create_session: recordOf('session_id'),
  prompt: recordOf('turn_id'),
  read_prompt_cell: value =>
    recordOf('help')(value) && isRecord(value) && Array.isArray(value.names),
  run_prompt_cell: recordOf('session_id', 'turn_id', 'words'),
  list_rules: value =>
    Array.isArray(value) &&
    value.every(each => recordOf('text')(each) && isRecord(each) && isRecord(each.rule)),
  list_prompts: value =>
    isRecord(value) &&
    listOf('name', 'description', 'agent', 'problem')(value.prompts) &&
    Array.isArray(value.prompts) &&
    value.prompts.every(each => isRecord(each) && listOf('name')(each.arguments)),
  list_outside_keys: listOf('key_id', 'notebook_path', 'policy'),
  make_outside_key: value =>
    recordOf('key', 'variable')(value) && isRecord(value) && recordOf('key_id')(value.entry),
  login: recordOf('message', 'terminal', 'command'),
  logout: recordOf('message'),
  restart_agent: recordOf('message'),
  get_context: value =>
    isRecord(value) && Array.isArray(value.cells) && Array.isArray(value.pinned),
  redact_text: recordOf('text'),
  get_items: value => isRecord(value) && Array.isArray(value.items),
  get_changes: value => isRecord(value) && Array.isArray(value.files),
  list_changing_sessions: value => isRecord(value) && Array.isArray(value.session_ids),
  get_history: value =>
    isRecord(value) &&
    listOf('turn_id', 'session_id', 'prompt', 'agent_name')(value.steps) &&
    (!isRecord(value.moment) ||
      (listOf('path', 'change')(value.moment.files) &&
        listOf('id', 'source')(value.moment.cells))) &&
    (!isRecord(value.file) || recordOf('path', 'media_type', 'picture')(value.file)),
  revert_turn: value => isRecord(value) && Array.isArray(value.paths),
  archive_session: recordOf('message'),
  unarchive_session: recordOf('message'),
  fork_session: recordOf('session_id'),
  rewind_session: isRewound,
  undo_rewind: isRewound,
  open_agent_session: recordOf('session_id'),
  list_agent_sessions: value =>
    isRecord(value) && listOf('agent_session_id', 'title', 'cwd')(value.sessions),
  search_sessions: value => isRecord(value) && Array.isArray(value.hits),
  find_stale: value =>
    isRecord(value) &&
    listOf('cell_id')(value.cells) &&
    Array.isArray(value.cells) &&
    value.cells.every(each => isRecord(each) && listOf('cell_id', 'change')(each.causes)),
  get_usage: value =>
    recordOf('day')(value) &&
    isRecord(value) &&
    isRecord(value.today) &&
    Array.isArray(value.today.costs),
  get_traffic: value => isRecord(value) && Array.isArray(value.lines),
  get_traffic_line: recordOf('text'),
  attach_turn: value => recordOf('session_id')(value) && isRecord(value) && isRecord(value.turn),
  get_records: value =>
    isRecord(value) &&
    typeof value.number === 'number' &&
    listOf('turn_id', 'session_id', 'cell_id', 'source')(value.outputs) &&
    Array.isArray(value.outputs) &&
    value.outputs.every(
      each =>
        isRecord(each) &&
        isRecord(each.bundle) &&
        isRecord(each.bundle.data) &&
        isRecord(each.bundle.metadata),
    ),
};

/** Checks the answer to a command; throws if the server sent something else. */
export function parseAnswer<Name extends keyof Answers>(name: Name, value: unknown): Answers[Name] {
  if (SHAPES[name]?.(value) === false) {
    throw new Error(`The server answered ${name} with something else. Its version may differ.`);
  }
  return value as Answers[Name];
}

function isRewound(value: unknown): boolean {
  return recordOf('words')(value) && isRecord(value) && recordOf('session_id')(value.session);
}

function recordOf(...names: string[]): (value: unknown) => boolean {
  return value => isRecord(value) && names.every(name => typeof value[name] === 'string');
}

function listOf(...names: string[]): (value: unknown) => boolean {
  return value => Array.isArray(value) && value.every(recordOf(...names));
}
