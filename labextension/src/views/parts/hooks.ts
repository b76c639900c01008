import { useCallback, useEffect, useLayoutEffect, useState } from 'preact/hooks';

import { onSecond } from './clock';
import { useScene } from './scene';

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
