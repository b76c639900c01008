import type { SessionStore } from '../state/store';
import type { Event, ToolCall } from '../wire/types';

/** What a turn ends with whose host has forgotten it. */
const EXPIRED_WORDS =
  'The server was restarted, or the session was closed. The turn has ended; no question of it was answered.';

const EXPIRED = { state: 'expired', outcome: 'Expired: server restarted' } as const;

/** Ends a turn in the page alone: its host no longer knows it, so nothing more will come. */
export function expireTurn(store: SessionStore, turnId: string): void {
  const { view } = store;
  const turn = view.turns.get(turnId);
  if (turn === undefined || turn.status === 'done') {
    return;
  }
  const base = { session_id: view.sessionId, seq: (view.seq ?? 0) + 1 };
  const items = (view.byTurn.get(turnId) ?? []).flatMap((id): Event[] => {
    const item = view.items.get(id);
    if (item?.kind === 'elicitation' && item.state === 'pending') {
      return [{ kind: 'item_replaced', ...base, item: { ...item, ...EXPIRED } }];
    }
    return item?.kind === 'tool_call' && isOpen(item)
      ? [{ kind: 'item_replaced', ...base, item: expired(item) }]
      : [];
  });
  const failure = { message: EXPIRED_WORDS, detail: '', reason: 'forgotten' };
  store.apply([
    ...items,
    {
      kind: 'turn_ended',
      ...base,
      turn: { ...turn, status: 'done', stop_reason: 'error', words: EXPIRED_WORDS, failure },
    },
  ]);
}

function isOpen({ status }: ToolCall): boolean {
  return status === 'pending' || status === 'in_progress';
}

function expired(item: ToolCall): ToolCall {
  const { permission } = item;
  return {
    ...item,
    status: 'cancelled',
    permission: permission?.state === 'pending' ? { ...permission, ...EXPIRED } : permission,
  };
}
