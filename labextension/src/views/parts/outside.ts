import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

import { targetOf } from './keyboard';

/** Calls `onOutside` at each of these events outside an element, while it is `active`. */
export function useOutside(
  root: RefObject<Element | null>,
  active: boolean,
  onOutside: () => void,
  kinds: readonly string[] = ['pointerdown'],
): void {
  useEffect(() => {
    if (!active) {
      return undefined;
    }
    const look = (event: Event) => {
      if (root.current?.contains(targetOf(event)) !== true) {
        onOutside();
      }
    };
    kinds.forEach(kind => document.addEventListener(kind, look, true));
    return () => kinds.forEach(kind => document.removeEventListener(kind, look, true));
  }, [active]);
}
