import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useLayoutEffect, useState } from 'preact/hooks';

import type { SessionStore } from '../state/store';
import type { Actions } from './actions';
import type { Translate } from './i18n';
import type { Rendering } from './props';

/** What every part of a view draws from. */
export interface Scene {
  readonly store: SessionStore;
  readonly host: 'cell' | 'panel';
  /** `null` for a saved record. */
  readonly actions: Actions | null;
  /** What the host draws better than plain text. */
  readonly rendering?: Rendering | undefined;
  readonly t: Translate;
  /** Tells users of screen readers; `assertive` interrupts them. */
  readonly announce: (words: string, how: 'polite' | 'assertive') => void;
}

export const SceneContext = createContext<Scene | null>(null);

export function useScene(): Scene {
  const scene = useContext(SceneContext);
  if (scene === null) {
    throw new Error('a part of the view is drawn outside a view');
  }
  return scene;
}

/** Draws again when told; `subscribe` must be the same as long as its subject is. */
export function useSubscription(subscribe: (listener: () => void) => () => void): void {
  const [, setTick] = useState(0);
  useLayoutEffect(() => subscribe(() => setTick(tick => tick + 1)), [subscribe]);
}

/** Whether something is open, and how to open or close it for the user. */
export function useOpen(id: string, standard: boolean): [boolean, (open: boolean) => void] {
  const { ui } = useScene().store;
  useSubscription(useCallback(listener => ui.subscribe(id, listener), [ui, id]));
  return [ui.isOpen(id, standard), open => ui.setOpen(id, open)];
}

/** A text kept by id beyond the life of the element. */
export function useValue(id: string): [string, (value: string) => void] {
  const { ui } = useScene().store;
  useSubscription(useCallback(listener => ui.subscribe(id, listener), [ui, id]));
  return [ui.value(id), value => ui.setValue(id, value)];
}

/** Seconds since the epoch, renewed each second while `running`. */
export function useNow(running: boolean): number {
  const [now, setNow] = useState(() => Date.now() / 1000);
  useEffect(() => {
    if (!running) {
      return undefined;
    }
    setNow(Date.now() / 1000);
    return onSecond(() => setNow(Date.now() / 1000));
  }, [running]);
  return now;
}
const secondListeners = new Set<() => void>();

let secondTimer: ReturnType<typeof setInterval> | null = null;

/** Calls each second; all views of a page share one timer. */
export function onSecond(listener: () => void): () => void {
  secondListeners.add(listener);
  secondTimer ??= setInterval(() => {
    [...secondListeners].forEach(each => each());
  }, 1000);
  return () => {
    secondListeners.delete(listener);
    if (secondListeners.size === 0 && secondTimer !== null) {
      clearInterval(secondTimer);
      secondTimer = null;
    }
  };
}

/** Another for each copy of this code in the page: the labextension, the widget. */
const COPY = Math.floor(Math.random() * 2 ** 40).toString(36);

let idCount = 0;

/** An id that no other view of the page has; Preact's own begin anew in each of them. */
export function useUniqueId(): string {
  const [id] = useState(() => {
    idCount += 1;
    return `acp-${COPY}-${idCount}`;
  });
  return id;
}
