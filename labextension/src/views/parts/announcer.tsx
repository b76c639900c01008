import type { VNode } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';

import type { Scene } from '../scene';

/** Shortest time between polite announcements; of those in between only the last is made. */
const POLITE_MILLISECONDS = 5_000;

/** Two live regions for screen readers, and a function that announces a text in them. */
export function useAnnouncer(): { announce: Scene['announce']; regions: VNode } {
  const polite = useRef<HTMLDivElement>(null);
  const assertive = useRef<HTMLDivElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const next = useRef('');
  const announce = useMemo(() => {
    let spoken = -POLITE_MILLISECONDS;
    const say = (region: HTMLElement | null, words: string) => {
      if (region !== null) {
        region.textContent = words;
      }
    };
    return (words: string, how: 'polite' | 'assertive') => {
      if (how === 'assertive') {
        say(assertive.current, words);
        return;
      }
      next.current = words;
      timer.current ??= setTimeout(
        () => {
          timer.current = null;
          spoken = performance.now();
          say(polite.current, next.current);
        },
        Math.max(0, spoken + POLITE_MILLISECONDS - performance.now()),
      );
    };
  }, []);
  useEffect(
    () => () => {
      if (timer.current !== null) {
        clearTimeout(timer.current);
      }
    },
    [],
  );
  const regions = (
    <>
      <div class="vh" aria-live="polite" ref={polite} />
      <div class="vh" aria-live="assertive" ref={assertive} />
    </>
  );
  return { announce, regions };
}
