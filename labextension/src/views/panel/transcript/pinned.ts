import type { RefObject } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** Within this distance of the end the log stays at the end. */
const NEAR_END = 24;

export interface Pinned {
  readonly log: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  /** Whether the user has scrolled away. */
  readonly isAway: boolean;
  /** Number of new items since the user scrolled away from the end. */
  readonly below: number;
  /** Scrolls to the end and stays there. */
  readonly toEnd: () => void;
  /** Whether it stays at its end. */
  readonly isPinned: () => boolean;
  /** Called after a scroll: the log stays at its end only if it is there. */
  readonly scrolled: () => void;
}

/** Keeps a log at its end until the user scrolls away. `total` counts its items. */
export function usePinned(total: number): Pinned {
  const log = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const pinned = useRef(true);
  /** Number of items when the user scrolled away from the end. */
  const [left, setLeft] = useState<number | null>(null);
  const count = useRef(total);
  count.current = total;

  useEffect(() => {
    const element = log.current;
    const inner = content.current;
    if (element === null || inner === null) {
      return undefined;
    }
    let top = element.scrollTop;
    const end = () => {
      if (pinned.current) {
        element.scrollTop = element.scrollHeight;
        top = element.scrollTop;
      }
    };
    const onScroll = () => {
      const up = element.scrollTop < top;
      top = element.scrollTop;
      const near = isNearEnd(element);
      // Only scrolling up leaves the end, not a growing content.
      if (near !== pinned.current && (near || up)) {
        pinned.current = near;
        setLeft(near ? null : count.current);
      }
    };
    // After layout, so that reading the height costs nothing.
    const observer = typeof ResizeObserver === 'undefined' ? null : new ResizeObserver(end);
    observer?.observe(inner);
    observer?.observe(element);
    element.addEventListener('scroll', onScroll, { passive: true });
    end();
    return () => {
      observer?.disconnect();
      element.removeEventListener('scroll', onScroll);
    };
  }, []);

  const toEnd = useCallback(() => {
    pinned.current = true;
    setLeft(null);
    const element = log.current;
    if (element !== null) {
      element.scrollTop = element.scrollHeight;
    }
  }, []);
  const isPinned = useCallback(() => pinned.current, []);
  const scrolled = useCallback(() => {
    pinned.current = log.current === null || isNearEnd(log.current);
    setLeft(pinned.current ? null : count.current);
  }, []);
  const below = left === null ? 0 : Math.max(0, total - left);
  return { log, content, isPinned, isAway: left !== null, below, toEnd, scrolled };
}

function isNearEnd({ scrollHeight, scrollTop, clientHeight }: Element): boolean {
  return scrollHeight - scrollTop - clientHeight <= NEAR_END;
}
