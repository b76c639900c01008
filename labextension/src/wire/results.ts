import { isRecord } from './read';
import type {
  AgentEntry,
  AgentSessions,
  ArchiveReply,
  AttachedTurn,
  ChangesReply,
  ChangingSessions,
  FoundSessions,
  History,
  ItemsPage,
  LoginReply,
  NewOutsideKey,
  OutsideKeyEntry,
  RegistryReply,
  RevertReply,
  RewindReply,
  RuleEntry,
  SavedOutput as SentOutput,
  SavedOutputs as SentOutputs,
  SessionState,
  StaleCells,
  TrafficDetail,
  TrafficPage,
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

/** Result types of commands, by name. */
interface Results {
  list_agents: AgentEntry[];
  get_registry: RegistryReply;
  update_registry: RegistryReply;
  create_session: SessionState;
  prompt: Pick<TurnState, 'turn_id'>;
  list_rules: RuleEntry[];
  list_outside_keys: OutsideKeyEntry[];
  make_outside_key: NewOutsideKey;
  login: LoginReply;
  logout: LoginReply;
  restart_agent: LoginReply;
  get_items: ItemsPage;
  attach_turn: AttachedTurn;
  get_records: SavedOutputs;
  get_changes: ChangesReply;
  revert_turn: RevertReply;
  list_changing_sessions: ChangingSessions;
  get_history: History;
  archive_session: ArchiveReply;
  unarchive_session: ArchiveReply;
  fork_session: SessionState;
  rewind_session: RewindReply;
  undo_rewind: RewindReply;
  open_agent_session: SessionState;
  list_agent_sessions: AgentSessions;
  search_sessions: FoundSessions;
  find_stale: StaleCells;
  get_traffic: TrafficPage;
  get_traffic_line: TrafficDetail;
}

const SHAPES: { readonly [Name in keyof Results]: (value: unknown) => boolean } = {
  list_agents: listOf('id', 'name', 'status'),
  get_registry: recordOf('date', 'failure'),
  update_registry: recordOf('date', 'failure'),
  create_session: recordOf('session_id'),
  prompt: recordOf('turn_id'),
  list_rules: value =>
    Array.isArray(value) &&
    value.every(each => recordOf('text')(each) && isRecord(each) && isRecord(each.rule)),
  list_outside_keys: listOf('key_id', 'notebook_path', 'policy'),
  make_outside_key: value =>
    recordOf('key', 'variable')(value) && isRecord(value) && recordOf('key_id')(value.entry),
  login: recordOf('message', 'terminal', 'command'),
  logout: recordOf('message'),
  restart_agent: recordOf('message'),
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

/** Checks the result of a command; throws if the server sent something else. */
export function parseResult<Name extends keyof Results>(name: Name, value: unknown): Results[Name] {
  if (!SHAPES[name](value)) {
    throw new Error(`The server answered ${name} with something else. Its version may differ.`);
  }
  return value as Results[Name];
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
