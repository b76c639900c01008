import type { Event, ItemsPage, TurnSnapshot } from '../wire/types';
import { Topics } from './topics';
import { emptyView, insertPage, reduceAll } from './reducer';
import { fromSaved } from './saved';
import { UiState } from './ui';
import type { SessionView } from './view';

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
