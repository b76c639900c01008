import type { Event, Item, SessionState, Snapshot, TurnState } from '../../src/wire/types';
import { session, SESSION, turn } from './build';

/** Events as the server sends them. */

export function snapshot(
  items: readonly Item[],
  turns: readonly TurnState[] = [turn()],
  state: SessionState = session(),
  seq = 10,
): Snapshot {
  return {
    kind: 'snapshot',
    session_id: SESSION,
    seq,
    epoch: 'e1',
    session: state,
    turns: [...turns],
    items: [...items],
    first_index: 0,
    total: items.length,
  };
}

export function appended(
  itemId: string,
  offset: number,
  text: string,
  seq: number,
  field: 'text' | 'output' = 'text',
): Event {
  return { kind: 'text_appended', session_id: SESSION, seq, item_id: itemId, field, offset, text };
}

export function replaced(item: Item, seq: number): Event {
  return { kind: 'item_replaced', session_id: SESSION, seq, item };
}

export function closed(itemId: string, seq: number, at = 9): Event {
  return { kind: 'item_closed', session_id: SESSION, seq, item_id: itemId, at };
}

export function added(item: Item, index: number, seq: number): Event {
  return { kind: 'item_added', session_id: SESSION, seq, index, item };
}
