import type { Event, ItemsPage, TurnSnapshot } from '../wire/types';
import { emptyView, fromSaved, insertPage, reduceAll } from './reducer';
import type { SessionView } from './session_view';
import { UiState } from './ui';

/** One session in the page: what is known of it, and who wants to hear of changes. */
export class SessionStore {
  readonly ui = new UiState();
  /** Who looks at it, among several people; empty where people have no names. */
  viewer = '';
  private readonly topics = new Topics();
  private current: SessionView;

  constructor(
    readonly sessionId: string,
    initial: SessionView = emptyView(sessionId),
  ) {
    this.current = initial;
  }

  /** Who alone answers for a turn, if that is not who looks at it; else empty. */
  waitsFor(turnId: string | null): string {
    const sender = this.current.turns.get(turnId ?? '')?.user ?? '';
    return this.viewer === '' || this.viewer === sender ? '' : sender;
  }

  get view(): SessionView {
    return this.current;
  }

  /** Takes a flush of events; each listener hears once of it. */
  apply(events: readonly Event[]): void {
    this.become(reduceAll(this.current, events), events);
  }

  /** Takes earlier items. */
  insert(page: ItemsPage): void {
    this.current = insertPage(this.current, page);
    this.topics.notifyOfPage(page);
  }

  /** Every change. */
  subscribe(listener: () => void): () => void {
    return this.topics.add('all', listener);
  }

  /** The session's state, its turns, and which items there are; not the items themselves. */
  subscribeSession(listener: () => void): () => void {
    return this.topics.add('session', listener);
  }

  /** A turn's state and its items, but not the growth of their texts. */
  subscribeTurn(turnId: string, listener: () => void): () => void {
    return this.topics.add(`turn ${turnId}`, listener);
  }

  /** One item, the growth of its texts included. */
  subscribeItem(itemId: string, listener: () => void): () => void {
    return this.topics.add(`item ${itemId}`, listener);
  }

  private become(next: SessionView, events: readonly Event[]): void {
    const former = this.current;
    if (next === former) {
      return;
    }
    this.current = next;
    this.topics.notify(former, next, events);
  }
}

/** A store that holds a saved turn and nothing else; it never changes. */
export function snapshotStore(snapshot: TurnSnapshot): SessionStore {
  return new SessionStore(snapshot.session_id, fromSaved(snapshot));
}

/** Who listens to what, and who must hear of a change. */
export class Topics {
  private readonly listeners = new Map<string, Set<() => void>>();

  add(topic: string, listener: () => void): () => void {
    const set = this.listeners.get(topic) ?? new Set();
    this.listeners.set(topic, set.add(listener));
    return () => {
      set.delete(listener);
      if (set.size === 0 && this.listeners.get(topic) === set) {
        this.listeners.delete(topic);
      }
    };
  }

  /** Tells each listener once. Costs as much as was touched, not as much as there is. */
  notify(former: SessionView, next: SessionView, events: readonly Event[]): void {
    this.tell(
      events.some(event => event.kind === 'snapshot')
        ? [...this.listeners.keys()]
        : touchedTopics(former, next, events),
    );
  }

  /** Tells those who listen to what earlier items belong to. */
  notifyOfPage({ items }: ItemsPage): void {
    const topics = new Set(['all', 'session']);
    for (const item of items) {
      topics.add(`item ${item.id}`).add(`turn ${item.turn_id ?? ''}`);
    }
    this.tell(topics);
  }

  private tell(topics: Iterable<string>): void {
    const heard = new Set<() => void>();
    for (const topic of topics) {
      for (const listener of this.listeners.get(topic) ?? []) {
        heard.add(listener);
      }
    }
    for (const listener of heard) {
      try {
        listener();
      } catch (error) {
        // One broken view must not silence the others.
        console.error(error);
      }
    }
  }
}

function touchedTopics(
  former: SessionView,
  next: SessionView,
  events: readonly Event[],
): Set<string> {
  const topics = new Set(['all']);
  for (const event of events) {
    switch (event.kind) {
      case 'text_appended':
        topics.add(`item ${event.item_id}`);
        break;
      case 'item_closed':
        topics.add(`item ${event.item_id}`);
        topics.add(`turn ${next.items.get(event.item_id)?.turn_id ?? ''}`);
        break;
      case 'item_added':
      case 'item_replaced':
        topics.add(`item ${event.item.id}`).add(`turn ${event.item.turn_id ?? ''}`);
        break;
      case 'turn_started':
      case 'turn_ended':
        topics.add(`turn ${event.turn.turn_id}`).add('session');
        break;
      case 'session_changed':
        topics.add('session');
        break;
      case 'snapshot':
        break;
    }
  }
  if (former.order !== next.order) {
    topics.add('session');
  }
  return topics;
}
