import { useLayoutEffect } from 'preact/hooks';
import type { RefObject } from 'preact';

/** Moves the focus to the search when its row is taken out of the list. */
export function useRowFocus(row: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = row.current;
    const list = element?.closest('.acp-panel') ?? null;
    return () => {
      if (element?.contains(document.activeElement) === true) {
        list?.querySelector<HTMLElement>('.acp-search input')?.focus({ preventScroll: true });
      }
    };
  }, []);
}
