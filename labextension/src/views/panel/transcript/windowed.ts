import type { RefObject } from 'preact';
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { cancelFrame, inNextFrame } from '../../parts/frame';
import { anchorOf, measure, mountedGaps, restoreAnchor } from './anchor';
import type { Anchor, Laid } from './anchor';
import { MountBudget, ScrollIdle, SCROLL_IDLE_MILLISECONDS } from './mount_budget';
import { pageFor } from './pages';
import type { Page } from './pages';
import { missingIn } from './segments';
import type { Segment } from './segments';
import {
  around,
  countItems,
  extended,
  firstRange,
  heightOf,
  indexAt,
  MAX_ITEMS,
  rangeOf,
  spanOf,
  trimmed,
} from './window_range';
import type { Range, Span } from './window_range';

export interface Window {
  readonly range: Range;
  /** Height of the unmounted segments before and after the range. */
  readonly before: number;
  readonly after: number;
  readonly above: RefObject<HTMLDivElement | null>;
  readonly below: RefObject<HTMLDivElement | null>;
  /** Mounts the end of the transcript. */
  readonly toEnd: () => void;
  /** Mounts a segment and those around it. */
  readonly mount: (index: number) => void;
  /** Checks in the next frame whether more must be mounted or loaded. */
  readonly look: () => void;
}

/**
 * Mounts a part of a long transcript, depending on the scroll position.
 *
 * The content being read stays in place when something is mounted above it. Layout is read once per
 * frame of scrolling, never while events are applied. `ask` is called with visible items that are
 * not loaded.
 */
export function useWindow(
  segments: readonly Segment[],
  log: RefObject<HTMLElement | null>,
  isPinned: () => boolean,
  ask: (page: Page) => void,
): Window {
  const [span, setSpan] = useState<Span | null>(null);
  const heights = useRef(new Map<string, number>());
  const above = useRef<HTMLDivElement>(null);
  const below = useRef<HTMLDivElement>(null);
  const anchor = useRef<Anchor | null>(null);
  const pace = useRef(new MountBudget());
  const rest = useRef(new ScrollIdle());
  /** The start of the mounted part while no range is set. */
  const whole = useRef<number | null>(null);
  // A session that grows long while it is read is unmounted gradually.
  const shortens = isPinned() && countItems(segments) > MAX_ITEMS;
  const kept = shortens || whole.current === null ? null : { from: whole.current, to: null };
  const wanted = span ?? kept;
  const range = (wanted && rangeOf(segments, wanted)) ?? firstRange(segments);
  whole.current = span === null && segments.length > 0 ? spanOf(segments, range).from : null;
  const now = useRef({ segments, range, isPinned, ask });
  now.current = { segments, range, isPinned, ask };

  const lay = useCallback((): Laid | null => {
    const [element, start, end] = [log.current, above.current, below.current];
    return element === null || start === null || end === null
      ? null
      : { ...now.current, log: element, above: start, below: end, heights: heights.current };
  }, [log]);

  const mountRange = useCallback((next: Range): void => {
    const { segments: all, range: old } = now.current;
    if (next.from !== old.from || next.to !== old.to) {
      const stays = countItems(all, Math.max(next.from, old.from), Math.min(next.to, old.to));
      pace.current.begin(countItems(all, next.from, next.to) - stays);
      setSpan(spanOf(all, next));
    }
  }, []);

  const check = useCallback((): boolean => {
    const laid = lay();
    if (laid === null) {
      return false;
    }
    const { segments: all, range: old } = now.current;
    const pinned = now.current.isPinned();
    const box = laid.log.getBoundingClientRect();
    const start = laid.above.getBoundingClientRect().bottom - box.top;
    const end = laid.below.getBoundingClientRect().top - box.top;
    anchor.current = pinned ? null : anchorOf(laid, anchor.current);
    const step = pace.current.items;
    const isAway = (start > box.height && old.from > 0) || (end < 0 && old.to < all.length);
    if (box.height > 0 && !pinned) {
      const page = pageFor(mountedGaps(laid), box.height);
      if (page !== null && (!page.far || rest.current.isAt(laid.log.scrollTop))) {
        now.current.ask(page);
      } else if (page !== null) {
        setTimeout(() => inNextFrame(check), SCROLL_IDLE_MILLISECONDS);
      }
    }
    let next = old;
    if (isAway && box.height > 0) {
      measure(laid.log, box, heights.current);
      next = around(all, indexAt(all, heights.current, laid.log.scrollTop), step);
    } else if (countItems(all) <= MAX_ITEMS) {
      next = extended(all, old, old.from > 0 ? 'up' : 'down', step);
    } else if (box.height === 0) {
      return false;
    } else {
      const segmentBoxes = measure(laid.log, box, heights.current);
      // One side per frame: the one that is visible first.
      if (start > -box.height && old.from > 0) {
        next = extended(all, next, 'up', step);
      } else if (end < 2 * box.height) {
        next = extended(all, next, 'down', step);
      }
      next = trimmed(all, next, ({ id }) => {
        const segmentBox = segmentBoxes.get(id);
        return (
          segmentBox !== undefined &&
          (segmentBox.bottom < -2 * box.height || segmentBox.top > 3 * box.height)
        );
      });
    }
    mountRange(next);
    return false;
  }, [lay, mountRange]);
  const look = useCallback(() => inNextFrame(check), [check]);

  useLayoutEffect(() => {
    const element = log.current;
    element?.addEventListener('scroll', look, { passive: true });
    return () => {
      element?.removeEventListener('scroll', look);
      cancelFrame(check);
    };
  }, [log, check, look]);

  useLayoutEffect(() => {
    const laid = lay();
    if (laid !== null && anchor.current !== null && !isPinned()) {
      anchor.current = restoreAnchor(laid, anchor.current);
    }
    pace.current.end();
    look();
  }, [segments[range.from]?.id, range.to - range.from, segments.length, missingIn(segments)]);

  return {
    range,
    before: heightOf(segments, heights.current, 0, range.from),
    after: heightOf(segments, heights.current, range.to, segments.length),
    above,
    below,
    toEnd: () => setSpan(null),
    mount: index => mountRange(around(now.current.segments, index, pace.current.items)),
    look,
  };
}
