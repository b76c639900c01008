import type { AgentInfo, Item, SessionState, TurnState } from '../wire/types';

/** The fields that grow by `text_appended`. */
export type TextField = 'text' | 'output';

/** A growing text as a linked list of pieces, the newest first, so that appending is cheap. */
export interface Growth {
  readonly piece: string;
  /** Offset of the piece, in UTF-16 code units. */
  readonly start: number;
  /** `null`: the text before it is in the item itself. */
  readonly previous: Growth | null;
}

/** What a saved output says about its session. */
export interface SavedFacts {
  readonly agent: AgentInfo;
  readonly title: string;
  readonly final: boolean;
  readonly footer: readonly string[];
}

/** Items, and text appended to them. */
export interface Texts {
  /** By id. A growing text is complete only together with `growth`. */
  readonly items: ReadonlyMap<string, Item>;
  /** Text that was appended since the item came, by `growthKey`. */
  readonly growth: ReadonlyMap<string, Growth>;
}

/** Loaded items that follow each other in the transcript. */
export interface Run {
  /** Index of the first in the whole transcript. */
  readonly firstIndex: number;
  readonly ids: readonly string[];
}

/** One session as the views draw it; never changed in place. */
export interface SessionView extends Texts {
  readonly sessionId: string;
  /** Identifies one run of the server; empty before the first snapshot. */
  readonly epoch: string;
  /** Number of the last event applied; `null` before the first snapshot. */
  readonly seq: number | null;
  /** Whether events were missed, so that a new snapshot is needed. */
  readonly stale: boolean;
  readonly session: SessionState | null;
  readonly turns: ReadonlyMap<string, TurnState>;
  /** Index in the whole transcript by item id. */
  readonly positions: ReadonlyMap<string, number>;
  /** Ids of all items from `firstIndex` to the end. */
  readonly order: readonly string[];
  /** Loaded runs of earlier items, with gaps after them; in order. */
  readonly earlier: readonly Run[];
  /** Item ids of each turn, in order. */
  readonly byTurn: ReadonlyMap<string, readonly string[]>;
  readonly firstIndex: number;
  readonly total: number;
  /** Set only for a saved output. */
  readonly saved: SavedFacts | null;
}

/** The session's agent, or the one that a saved output names. */
export function agentOf(view: SessionView): AgentInfo {
  return view.session?.agent_info ?? view.saved?.agent ?? { id: '', name: '', version: '' };
}

/** Id of the running turn, else of the newest that began, else of the first that is queued. */
export function currentTurn({ turns }: SessionView): string {
  const all = [...turns.values()];
  const begun = all.filter(({ status }) => status !== 'queued');
  const turn = begun.find(({ status }) => status !== 'done') ?? begun.pop() ?? all[0];
  return turn?.turn_id ?? '';
}

export function titleOf(view: SessionView): string {
  return view.session?.title ?? view.saved?.title ?? '';
}

/** Name of the current mode, or of a config option by category, e.g. `model`. */
export function currentName(session: SessionState | null, category: 'mode' | 'model'): string {
  if (session === null) {
    return '';
  }
  const mode = session.modes.find(each => each.id === session.current_mode_id);
  if (category === 'mode' && mode !== undefined) {
    return mode.name;
  }
  const option = session.config_options.find(each => each.category === category);
  const chosen = option?.choices.find(choice => choice.value === option.current_value)?.name;
  return chosen ?? (category === 'model' ? session.model : '');
}

/** In place of an agent's id: the session was imported from a traffic log. */
export const IMPORTED = 'imported';

/** The same for an agent that was started elsewhere and uses the notebook tools. */
export const OUTSIDE = 'outside';
/** With what the ids of agents begin that run in kernels. */
export const IN_KERNEL = 'cell:';
