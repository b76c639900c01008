/* Made by `make gen` from the models in acp_jupyter; edit those. */

import type { Item } from './items';
import type { SessionState, TurnState } from './session_state';

export type Event =
  | Snapshot
  | ItemAdded
  | TextAppended
  | ItemClosed
  | ItemReplaced
  | SessionChanged
  | TurnStarted
  | TurnEnded;
/**
 * A window on the whole session: its newest items.
 */
export interface Snapshot {
  /**
   * Names one run of the server's memory; a ``seq`` counts only within it.
   */
  epoch: string;
  /**
   * Index of the first of ``items`` in the whole transcript.
   */
  first_index: number;
  items: Item[];
  kind: 'snapshot';
  /**
   * Rises by at least one; a merged event carries the last.
   */
  seq: number;
  session: SessionState;
  session_id: string;
  total: number;
  turns: TurnState[];
}
/**
 * A new item at the end.
 */
export interface ItemAdded {
  index: number;
  item: Item;
  kind: 'item_added';
  /**
   * Rises by at least one; a merged event carries the last.
   */
  seq: number;
  session_id: string;
}
/**
 * More text of one field. ``offset`` is in UTF-16 code units, as in JavaScript.
 */
export interface TextAppended {
  field: 'text' | 'output';
  item_id: string;
  kind: 'text_appended';
  offset: number;
  /**
   * Rises by at least one; a merged event carries the last.
   */
  seq: number;
  session_id: string;
  text: string;
}
/**
 * A message or thought gets no more text. Its text is not sent again.
 */
export interface ItemClosed {
  at: number;
  item_id: string;
  kind: 'item_closed';
  /**
   * Rises by at least one; a merged event carries the last.
   */
  seq: number;
  session_id: string;
}
/**
 * An item has changed otherwise.
 */
export interface ItemReplaced {
  item: Item;
  kind: 'item_replaced';
  /**
   * Rises by at least one; a merged event carries the last.
   */
  seq: number;
  session_id: string;
}
/**
 * The session's state has changed.
 */
export interface SessionChanged {
  kind: 'session_changed';
  /**
   * Rises by at least one; a merged event carries the last.
   */
  seq: number;
  session: SessionState;
  session_id: string;
}
/**
 * A turn was queued, began to run, asks, or goes on after an answer.
 */
export interface TurnStarted {
  kind: 'turn_started';
  /**
   * Rises by at least one; a merged event carries the last.
   */
  seq: number;
  session_id: string;
  turn: TurnState;
}
/**
 * A turn is done.
 */
export interface TurnEnded {
  kind: 'turn_ended';
  /**
   * Rises by at least one; a merged event carries the last.
   */
  seq: number;
  session_id: string;
  turn: TurnState;
}
