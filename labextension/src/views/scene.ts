import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useLayoutEffect, useState } from 'preact/hooks';

import type { SessionStore } from '../state/store';
import type { Actions } from './actions';
import { Additions } from './additions';
import type { Addition } from './additions';
import type { Translate } from './i18n';
import type { Rendering } from './props';

/** The context of a view, which all of its parts use. */
export interface Scene {
  readonly store: SessionStore;
  readonly host: 'cell' | 'panel' | 'file';
  /** `null` for a saved output. */
  readonly actions: Actions | null;
  /** Whether a cell asks open questions in text, so that buttons would do nothing. */
  readonly askedBelow?: boolean;
  /** Draws what the host can draw better than plain text. */
  readonly rendering?: Rendering | undefined;
  readonly t: Translate;
  /** Announces a text to screen readers; `assertive` interrupts. */
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

/** Draws again on each change; `subscribe` must be the same function for the same subject. */
export function useSubscription(subscribe: (listener: () => void) => () => void): void {
  const [, setTick] = useState(0);
  useLayoutEffect(() => subscribe(() => setTick(tick => tick + 1)), [subscribe]);
}

const NOTHING_ADDED = new Additions();

/** What features add; `null` actions have nothing. */
export function useAllAdditions(actions: Actions | null): Additions {
  const additions = actions?.additions ?? NOTHING_ADDED;
  useSubscription(additions.subscribe);
  return additions;
}

/** What features add to a part of the view, by its name. */
export function useAdditions<Name extends keyof Addition>(
  name: Name,
): NonNullable<Addition[Name]>[] {
  return useAllAdditions(useScene().actions).get(name);
}

/** Whether something is open, and a function that opens or closes it. */
export function useOpen(id: string, standard: boolean): [boolean, (open: boolean) => void] {
  const { ui } = useScene().store;
  useSubscription(useCallback(listener => ui.subscribe(id, listener), [ui, id]));
  return [ui.isOpen(id, standard), open => ui.setOpen(id, open)];
}

/** A text that is kept by id and outlives the element. */
export function useValue(id: string): [string, (value: string) => void] {
  const { ui } = useScene().store;
  useSubscription(useCallback(listener => ui.subscribe(id, listener), [ui, id]));
  return [ui.value(id), value => ui.setValue(id, value)];
}

/** Seconds since the epoch, updated each second while `running`. */
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

/** Differs between copies of this code in the page: the labextension, the widget. */
const COPY = Math.floor(Math.random() * 2 ** 40).toString(36);

let idCount = 0;

/** An id that is unique in the page; Preact's `useId` starts again in each view. */
export function useUniqueId(): string {
  const [id] = useState(() => {
    idCount += 1;
    return `acp-${COPY}-${idCount}`;
  });
  return id;
}
