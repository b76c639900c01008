import type { Event, ItemsPage, Snapshot, TurnSnapshot } from '../wire/types';
import { endOf, withRun } from './runs';
import type { SessionView } from './session_view';
import { ViewBuilder } from './view_builder';

/** The view of a session before anything is known of it. */
export function emptyView(sessionId: string): SessionView {
  return {
    sessionId,
    epoch: '',
    seq: null,
    stale: false,
    session: null,
    turns: new Map(),
    items: new Map(),
    positions: new Map(),
    order: [],
    earlier: [],
    byTurn: new Map(),
    growth: new Map(),
    firstIndex: 0,
    total: 0,
    saved: null,
  };
}

/** The view after one event. */
export function reduce(view: SessionView, event: Event): SessionView {
  return reduceAll(view, [event]);
}

/**
 * The view after several events.
 *
 * Events that were applied before are skipped. Only the tables that change are
 * copied, once for all events; appended text is linked to what exists, so a
 * chunk costs the same in a long text and a long session.
 */
export function reduceAll(view: SessionView, events: readonly Event[]): SessionView {
  const seen = view.seq;
  let base = view;
  let draft: ViewBuilder | null = null;
  for (const event of events) {
    if (event.session_id !== view.sessionId) {
      continue;
    }
    if (event.kind === 'snapshot') {
      base = fromSnapshot(event);
      draft = null;
    } else if (seen === null || base !== view || event.seq > seen) {
      draft ??= new ViewBuilder(base);
      take(draft, event);
    }
  }
  return draft?.finish() ?? base;
}

/**
 * The view with a page of earlier items; costs as much as the page, plus copies of tables.
 *
 * The page joins the items that it touches; one that touches none is a separate run.
 */
export function insertPage(view: SessionView, page: ItemsPage): SessionView {
  const items = new Map(view.items);
  const positions = new Map(view.positions);
  /** Ids of items that this page adds to each turn. */
  const added = new Map<string, string[]>();
  page.items.forEach((item, offset) => {
    if (!items.has(item.id)) {
      items.set(item.id, item);
      positions.set(item.id, page.first_index + offset);
      if (item.turn_id !== null) {
        const ids = added.get(item.turn_id) ?? [];
        added.set(item.turn_id, ids);
        ids.push(item.id);
      }
    }
  });
  const indexOf = (id: string) => positions.get(id) ?? 0;
  const byTurn = new Map(view.byTurn);
  for (const [turnId, ids] of added) {
    const all = [...ids, ...(view.byTurn.get(turnId) ?? [])];
    byTurn.set(
      turnId,
      all.sort((one, other) => indexOf(one) - indexOf(other)),
    );
  }
  const ids = page.items
    .slice(0, Math.max(0, view.firstIndex - page.first_index))
    .map(({ id }) => id);
  const earlier = withRun(view.earlier, { firstIndex: page.first_index, ids });
  const last = earlier[earlier.length - 1];
  const joins = last !== undefined && endOf(last) === view.firstIndex;
  return {
    ...view,
    items,
    positions,
    byTurn,
    order: joins ? [...last.ids, ...view.order] : view.order,
    firstIndex: joins ? last.firstIndex : view.firstIndex,
    earlier: joins ? earlier.slice(0, -1) : earlier,
  };
}

type Change = Exclude<Event, Snapshot>;

function take(draft: ViewBuilder, event: Change): void {
  switch (event.kind) {
    case 'item_added':
      draft.add(event.item, event.index);
      break;
    case 'item_replaced':
      draft.replace(event.item);
      break;
    case 'item_closed':
      draft.close(event);
      break;
    case 'text_appended':
      draft.append(event);
      break;
    case 'text_changed':
      draft.change(event);
      break;
    case 'session_changed':
      draft.session = event.session;
      break;
    case 'turn_started':
    case 'turn_ended':
      draft.putTurn(event.turn);
      break;
  }
  draft.seq = Math.max(event.seq, draft.seq ?? 0);
}

function fromSnapshot(event: Snapshot): SessionView {
  const draft = new ViewBuilder({
    ...emptyView(event.session_id),
    epoch: event.epoch,
    seq: event.seq,
    session: event.session,
    turns: new Map(event.turns.map(turn => [turn.turn_id, turn])),
    firstIndex: event.first_index,
    total: event.total,
  });
  event.items.forEach((item, offset) => draft.add(item, event.first_index + offset));
  return draft.finish();
}

/** The view of a saved output: the items of one turn, without a session. */
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
  // A saved output has one turn only, whatever its items contain.
  snapshot.items.forEach((item, index) => draft.add({ ...item, turn_id: snapshot.turn_id }, index));
  return draft.finish();
}
