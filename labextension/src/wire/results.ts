import { isRecord } from './read';
import type {
  AgentEntry,
  AttachedTurn,
  Command,
  ItemsPage,
  NotebookRecord,
  SessionState,
} from './types';

/** What a command of that name results in. */
interface Results {
  list_agents: AgentEntry[];
  create_session: SessionState;
  get_items: ItemsPage;
  attach_turn: AttachedTurn;
  get_records: NotebookRecord[];
}

export type NamedCommand<Name extends keyof Results> = Extract<Command, { name: Name }>;

const SHAPES: { readonly [Name in keyof Results]: (value: unknown) => boolean } = {
  list_agents: listOf('id', 'name', 'status'),
  create_session: recordOf('session_id'),
  get_items: value => isRecord(value) && Array.isArray(value.items),
  attach_turn: value => recordOf('session_id')(value) && isRecord(value) && isRecord(value.turn),
  get_records: value =>
    listOf('turn_id', 'session_id', 'cell_id', 'source')(value) &&
    Array.isArray(value) &&
    value.every(each => isRecord(each) && isRecord(each.bundle) && isRecord(each.bundle.data)),
};

/** The result of a command as its type; throws where the server sent something else. */
export function parseResult<Name extends keyof Results>(name: Name, value: unknown): Results[Name] {
  if (!SHAPES[name](value)) {
    throw new Error(`The server answered ${name} with something else. Its version may differ.`);
  }
  return value as Results[Name];
}

function recordOf(...names: string[]): (value: unknown) => boolean {
  return value => isRecord(value) && names.every(name => typeof value[name] === 'string');
}

function listOf(...names: string[]): (value: unknown) => boolean {
  return value => Array.isArray(value) && value.every(recordOf(...names));
}
