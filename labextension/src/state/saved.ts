import type { TurnSnapshot } from '../wire/types';
import { ViewBuilder } from './draft';
import { emptyView } from './reducer';
import type { SessionView } from './view';

/** The view of a saved turn: its items, and no session behind them. */
export function fromSaved(snapshot: TurnSnapshot): SessionView {
  const draft = new ViewBuilder({
    ...emptyView(snapshot.session_id),
    saved: {
      agent: snapshot.agent,
      title: snapshot.session_title,
      final: snapshot.final,
      footer: snapshot.footer,
    },
  });
  draft.putTurn(snapshot.turn);
  // The record is of this turn alone, whatever its items say.
  snapshot.items.forEach((item, index) => draft.add({ ...item, turn_id: snapshot.turn_id }, index));
  return draft.finish();
}
