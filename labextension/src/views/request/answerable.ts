import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** A request that has just come into view is not answered within this time: it was not read. */
const IN_VIEW_MS = 500;

/**
 * Whether a request may be answered: its buttons have been in view for a while.
 *
 * What a person was about to press or click when it appeared was meant for something else.
 *
 * @param shown - Names what is asked and how much of it is shown; what is new has not been read.
 */
export function useAnswerable(card: RefObject<HTMLElement | null>, shown: string): boolean {
  // Where nothing tells what is in view, all of it is.
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
