import type { RefObject } from 'preact';
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { cancelFrame, inNextFrame } from '../parts/frame';
import {
  around,
  countItems,
  extended,
  firstRange,
  heightOf,
  MAX_ITEMS,
  placeAt,
  trimmed,
} from './window_range';
import type { Range, Segment } from './window_range';

interface Window {
  readonly range: Range;
  /** Height of what is not mounted before and after the range. */
  readonly before: number;
  readonly after: number;
  readonly above: RefObject<HTMLDivElement | null>;
  readonly below: RefObject<HTMLDivElement | null>;
  /** Mounts the end. */
  readonly toEnd: () => void;
}

/** Which end of the range is meant by `null`: the first or last segment, whatever it is. */
interface Kept {
  readonly from: string | null;
  readonly to: string | null;
}

/**
 * Mounts a part of a long transcript, and another as it is scrolled.
 *
 * What is being read stays where it is when something is mounted above it.
 * Layout is read once per frame of scrolling, never in a flush of events.
 */
export function useWindow(
  segments: readonly Segment[],
  log: RefObject<HTMLElement | null>,
  isPinned: () => boolean,
  onStart: () => void,
): Window {
  const [kept, setKept] = useState<Kept | null>(null);
  const heights = useRef(new Map<string, number>());
  const above = useRef<HTMLDivElement>(null);
  const below = useRef<HTMLDivElement>(null);
  const anchor = useRef<Anchor | null>(null);
  const whole = useRef(false);
  // A session that grows long under the reader's eyes is made shorter by and by.
  const range = rangeOf(segments, kept, whole.current && !isPinned());
  whole.current = range.from === 0 && range.to === segments.length;
  const now = useRef({ segments, range, isPinned, onStart });
  now.current = { segments, range, isPinned, onStart };

  const check = useCallback((): boolean => {
    const element = log.current;
    if (element === null || above.current === null || below.current === null) {
      return false;
    }
    const { segments: all, range: old } = now.current;
    const box = element.getBoundingClientRect();
    const start = above.current.getBoundingClientRect().bottom - box.top;
    const end = below.current.getBoundingClientRect().top - box.top;
    anchor.current = now.current.isPinned() ? null : anchorWithin(element, box);
    if (start > -box.height && old.from === 0 && box.height > 0 && !now.current.isPinned()) {
      now.current.onStart();
    }
    if (countItems(all) <= MAX_ITEMS || box.height === 0) {
      return false;
    }
    const places = remember(element, box, heights.current);
    let next = old;
    if (start > box.height || end < 0) {
      next = around(all, placeAt(all, heights.current, element.scrollTop));
    } else {
      if (start > -box.height) {
        next = extended(all, next, 'up');
      }
      if (end < 2 * box.height) {
        next = extended(all, next, 'down');
      }
      next = trimmed(all, next, ({ id }) => {
        const place = places.get(id);
        return (
          place !== undefined && (place.bottom < -2 * box.height || place.top > 3 * box.height)
        );
      });
    }
    if (next.from !== old.from || next.to !== old.to) {
      setKept({
        from: next.from === 0 ? null : (all[next.from]?.id ?? null),
        to: next.to === all.length ? null : (all[next.to]?.id ?? null),
      });
    }
    return false;
  }, [log]);

  useLayoutEffect(() => {
    const element = log.current;
    const onScroll = () => inNextFrame(check);
    element?.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      element?.removeEventListener('scroll', onScroll);
      cancelFrame(check);
    };
  }, [log, check]);

  const first = segments[range.from]?.id;
  const count = segments.length;
  useLayoutEffect(() => {
    const element = log.current;
    if (element !== null && anchor.current !== null && !isPinned()) {
      keep(element, anchor.current);
    }
    inNextFrame(check);
  }, [first, range.to - range.from, count]);

  return {
    range,
    before: heightOf(segments, heights.current, 0, range.from),
    after: heightOf(segments, heights.current, range.to, segments.length),
    above,
    below,
    toEnd: () => setKept(null),
  };
}

function rangeOf(segments: readonly Segment[], kept: Kept | null, whole: boolean): Range {
  if (kept === null || countItems(segments) <= MAX_ITEMS) {
    return whole ? { from: 0, to: segments.length } : firstRange(segments);
  }
  const from = kept.from === null ? 0 : segments.findIndex(({ id }) => id === kept.from);
  const to = kept.to === null ? segments.length : segments.findIndex(({ id }) => id === kept.to);
  return from < 0 || to <= from ? firstRange(segments) : { from, to };
}

interface Place {
  readonly top: number;
  readonly bottom: number;
}

/** Where the mounted segments lie in the log; their heights are kept. */
function remember(
  log: HTMLElement,
  box: DOMRect,
  heights: Map<string, number>,
): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const each of log.querySelectorAll<HTMLElement>('[data-segment]')) {
    const id = each.dataset['segment'] ?? '';
    const { top, bottom, height } = each.getBoundingClientRect();
    heights.set(id, height);
    if (!each.contains(document.activeElement)) {
      places.set(id, { top: top - box.top, bottom: bottom - box.top });
    }
  }
  return places;
}

/** Something that is being read, and where. */
interface Anchor {
  readonly element: Element;
  readonly top: number;
}

function anchorWithin(log: HTMLElement, box: DOMRect): Anchor | null {
  const found = document.elementFromPoint(box.left + box.width / 2, box.top + 12);
  const line = found?.closest('.acp-items > *, .acp-user, [data-segment]') ?? null;
  return line === null || !log.contains(line)
    ? null
    : { element: line, top: line.getBoundingClientRect().top - box.top };
}

function keep(log: HTMLElement, { element, top }: Anchor): void {
  if (element.isConnected) {
    const moved = element.getBoundingClientRect().top - log.getBoundingClientRect().top - top;
    if (Math.abs(moved) >= 1) {
      log.scrollTop += moved;
    }
  }
}
