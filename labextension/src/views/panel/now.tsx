import { useCallback } from 'preact/hooks';

import { useSubscription } from '../parts/hooks';
import { useScene } from '../parts/scene';
import { StatusLine } from '../turn/status';
import { itemsOf } from '../turn/turn_body';

/** The status of the running turn, above the message box. */
export function RunningTurn() {
  const { store } = useScene();
  useSubscription(useCallback(listener => store.subscribeSession(listener), [store]));
  const turnId = store.view.session?.active_turn_id ?? null;
  return turnId === null ? null : <RunningTurnStatus turnId={turnId} />;
}

function RunningTurnStatus({ turnId }: { readonly turnId: string }) {
  const { store } = useScene();
  useSubscription(useCallback(listener => store.subscribeTurn(turnId, listener), [store, turnId]));
  const { view } = store;
  const turn = view.turns.get(turnId);
  if (turn === undefined || turn.status === 'done') {
    return null;
  }
  return (
    <StatusLine
      turn={turn}
      items={itemsOf(view.byTurn.get(turnId) ?? [], view.items)}
      stop={false}
    />
  );
}
