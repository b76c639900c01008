import type { Event, ItemsPage, TurnSnapshot } from '../wire/types';
import { emptyView, fromSaved, insertPage, reduceAll } from './reducer';
import { withoutFar } from './runs';
import type { SessionView } from './session_view';
import { UiState } from './ui';

/** The state of one session in the page, and its subscribers. */
export class SessionStore {
  /** Name of the viewer; empty if users have no names. */
  viewer = '';
  private readonly topics = new Topics();
  private current: SessionView;

  constructor(
    readonly sessionId: string,
    initial: SessionView = emptyView(sessionId),
    readonly ui = new UiState(),
  ) {
    this.current = initial;
  }

  /** Name of the user who must answer for a turn, if that isn't the viewer; else empty. */
  waitsFor(turnId: string | null): string {
    const sender = this.current.turns.get(turnId ?? '')?.user ?? '';
    return this.viewer === '' || this.viewer === sender ? '' : sender;
  }

  get view(): SessionView {
    return this.current;
  }

  /** Applies events; each listener is called once. */
  apply(events: readonly Event[]): void {
    this.become(reduceAll(this.current, events), events);
  }

  /** Inserts a page of earlier items; if there are very many, those far from it are dropped. */
  insert(page: ItemsPage): void {
    const whole = insertPage(this.current, page);
    this.current = withoutFar(whole, page.first_index, turnId => this.topics.has(`held ${turnId}`));
    if (this.current === whole) {
      this.topics.notifyOfPage(page);
    } else {
      this.topics.notifyAll();
    }
  }

  /** Keeps the items of a turn that is drawn elsewhere; returns a function that releases them. */
  hold(turnId: string): () => void {
    return this.topics.add(`held ${turnId}`, () => undefined);
  }

  /** Shows another state of the session, which no event reports. */
  show(view: SessionView): void {
    this.current = view;
    this.topics.notifyAll();
  }

  /** The same session with its own draft and its own open parts. */
  apart(): SessionStore {
    const apart: unknown = Object.create(this, { ui: { value: new UiState() } });
    return apart instanceof SessionStore ? apart : this;
  }

  /** Every change. */
  subscribe(listener: () => void): () => void {
    return this.topics.add('all', listener);
  }

  /** Changes of the session's state, its turns and its list of items; not of the items themselves. */
  subscribeSession(listener: () => void): () => void {
    return this.topics.add('session', listener);
  }

  /** Changes of a turn and its items, except appended text. */
  subscribeTurn(turnId: string, listener: () => void): () => void {
    return this.topics.add(`turn ${turnId}`, listener);
  }

  /** Changes of one item, appended text included. */
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

/** A store that holds the turn of a saved output; it never changes. */
export function snapshotStore(snapshot: TurnSnapshot): SessionStore {
  return new SessionStore(snapshot.session_id, fromSaved(snapshot));
}

/** Listeners by topic, and the topics that an event touches. */
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

  has(topic: string): boolean {
    return this.listeners.has(topic);
  }

  notifyAll(): void {
    this.tell([...this.listeners.keys()]);
  }

  /** Calls each listener once; the cost depends on what was touched, not on what exists. */
  notify(former: SessionView, next: SessionView, events: readonly Event[]): void {
    if (events.some(event => event.kind === 'snapshot')) {
      this.notifyAll();
    } else {
      this.tell(touchedTopics(former, next, events));
    }
  }

  /** Calls the listeners of earlier items that were inserted. */
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
        // A view that throws must not keep the others from being called.
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
      case 'text_changed':
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
