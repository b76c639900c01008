import type { Event, ItemsPage } from '../wire/types';
import type { SessionView } from './view';

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
