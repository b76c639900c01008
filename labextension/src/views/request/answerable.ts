import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/**
 * A request can't be answered within this time after it comes into view, since nobody has read it
 * yet.
 */
const IN_VIEW_MS = 500;

/**
 * Whether a request may be answered: its buttons have been in view for a while.
 *
 * A key or click that the user had started when it appeared was meant for something else.
 *
 * @param shown - Identifies the request and how much of it is shown; a new part has not been read.
 */
export function useAnswerable(card: RefObject<HTMLElement | null>, shown: string): boolean {
  // If the page can't observe what is in view, everything counts as visible.
  const isSeenAtOnce = typeof IntersectionObserver === 'undefined';
  const [since, setSince] = useState(isSeenAtOnce ? shown : '');
  useLayoutEffect(() => {
    const buttons = card.current?.querySelector('.acp-opts') ?? null;
    if (buttons === null || isSeenAtOnce) {
      setSince(shown);
      return undefined;
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new IntersectionObserver(entries => {
      clearTimeout(timer);
      if (entries[entries.length - 1]?.isIntersecting === true) {
        timer = setTimeout(() => {
          observer.disconnect();
          setSince(shown);
        }, IN_VIEW_MS);
      }
    });
    observer.observe(buttons);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [shown]);
  return since === shown;
}
