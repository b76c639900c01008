import type { Item, TurnSnapshot } from '../../wire/types';
import { fromSaved } from '../../state/reducer';
import type { SessionView } from '../../state/session_view';
import { SharedUi } from './shared_ui';
import { SessionStore } from '../../state/store';

/** A turn of a shared file. */
export interface PlayedTurn {
  readonly id: string;
  readonly store: SessionStore;
}

interface Part extends PlayedTurn {
  readonly ui: SharedUi;
  readonly whole: SessionView;
  /** Ends of its items that are steps, in their order. */
  readonly ends: readonly number[];
  /** The place at which only its prompt is shown. */
  readonly start: number;
}

/**
 * The turns of a shared file, step by step: each begins with its prompt, each place adds an item,
 * and its last place shows the finished turn.
 */
export class Playback {
  /** The last place, which shows everything. */
  readonly last: number;
  readonly #parts: readonly Part[];
  readonly #listeners = new Set<() => void>();
  #place: number;
  #all = false;

  constructor(snapshots: readonly TurnSnapshot[]) {
    let start = 0;
    this.#parts = snapshots.map((snapshot, index) => {
      const whole = fromSaved(snapshot);
      const ui = new SharedUi();
      const store = new SessionStore(`${snapshot.session_id} ${index}`, whole, ui);
      const part = { id: snapshot.turn_id, store, ui, whole, ends: endsOf(whole), start };
      start += part.ends.length + 1;
      return part;
    });
    this.last = Math.max(0, start - 1);
    this.#place = this.last;
  }

  /** The turns that have begun. */
  get turns(): readonly PlayedTurn[] {
    return this.#parts.filter(({ start }) => start <= this.#place);
  }

  get place(): number {
    return this.#place;
  }

  /** Whether everything was unfolded. */
  get all(): boolean {
    return this.#all;
  }

  /** The newest item; `null` where a turn begins, and where it is complete. */
  get newest(): Item | null {
    const part = this.#parts.filter(({ start }) => start <= this.#place).pop();
    return part === undefined ? null : newestOf(part, this.#place);
  }

  go(place: number): void {
    const next = Math.min(this.last, Math.max(0, place));
    for (const part of this.#parts) {
      const { store, ui } = part;
      const view = viewAt(part, next);
      if (view !== store.view) {
        store.show(view);
      }
      ui.openNewest(around(newestOf(part, next)));
    }
    this.#place = next;
    this.#tell();
  }

  openAll(all: boolean): void {
    this.#all = all;
    this.#parts.forEach(({ ui }) => ui.openAll(all));
    this.#tell();
  }

  /** Shows all of it, until the returned function is called. */
  print(): () => void {
    const { place } = this;
    this.go(this.last);
    this.#parts.forEach(({ ui }) => ui.print(true));
    return () => {
      this.#parts.forEach(({ ui }) => ui.print(false));
      this.go(place);
    };
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #tell(): void {
    this.#listeners.forEach(listener => listener());
  }
}

function endsOf(whole: SessionView): number[] {
  return whole.order.flatMap((id, index) => {
    const item = whole.items.get(id);
    return item === undefined || isNoStep(item) ? [] : [index + 1];
  });
}

/** The prompt is shown from the start, and the turn itself shows its end. */
function isNoStep(item: Item): boolean {
  return item.kind === 'turn_end' || (item.kind === 'user_message' && !item.steered);
}

function newestOf({ whole, ends, start }: Part, place: number): Item | null {
  const count = place - start;
  const end = count < ends.length ? ends[count - 1] : undefined;
  return end === undefined ? null : (whole.items.get(whole.order[end - 1] ?? '') ?? null);
}

/** The turn up to a place; the same view for the same place. */
function viewAt({ id, store, whole, ends, start }: Part, place: number): SessionView {
  const count = place - start;
  if (count < 0 || count >= ends.length) {
    return whole;
  }
  const first = whole.order.slice(0, (ends[0] ?? 1) - 1);
  const order = count === 0 ? first : whole.order.slice(0, ends[count - 1]);
  if (store.view !== whole && store.view.order.length === order.length) {
    return store.view;
  }
  const turn = whole.turns.get(id);
  const running = turn && { ...turn, status: 'running' as const, failure: null, changes: null };
  return {
    ...whole,
    saved: null,
    turns: new Map(running && [[id, running]]),
    order,
    byTurn: new Map([[id, order]]),
    total: order.length,
  };
}

/** The ids to unfold to see an item: its own, and for a subagent's step that of its call. */
function around(item: Item | null): string[] {
  if (item === null) {
    return [];
  }
  const parent = 'parent_id' in item ? item.parent_id : '';
  return parent === '' ? [item.id] : [item.id, parent, `steps ${parent}`];
}
