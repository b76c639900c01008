import type { SessionStore } from '../state/store';
import type { WidgetTurn } from './widget_turn';

/** The part of a widget's model that is written here. */
interface WritableModel {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
}

type WatchedTurn = Pick<WidgetTurn, 'traits' | 'turn' | 'watch'>;

/**
 * Writes the turn's id into the trait `ended` at the end of the turn, where the kernel has left it
 * empty: in a host that runs cells again when the page changes a widget, as marimo does.
 */
export function announceEnd(model: WritableModel, widgetTurn: WatchedTurn): () => void {
  const { turnId } = widgetTurn.traits;
  let store: SessionStore | null = null;
  let unsubscribe = () => {};
  const look = () => {
    const next = widgetTurn.turn()?.store ?? null;
    if (next !== store) {
      unsubscribe();
      store = next;
      unsubscribe = next?.subscribeTurn(turnId, look) ?? (() => {});
    }
    if (store?.view.turns.get(turnId)?.status === 'done' && model.get('ended') === '') {
      model.set('ended', turnId);
      model.save_changes();
    }
  };
  const unwatch = widgetTurn.watch(look);
  look();
  return () => {
    unwatch();
    unsubscribe();
  };
}
