import type { RefObject } from 'preact';
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { cancelFrame, inNextFrame } from '../../parts/frame';
import { focusedElement } from '../../parts/keyboard';
import {
  around,
  countItems,
  extended,
  firstRange,
  heightOf,
  MAX_ITEMS,
  indexAt,
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
  /** Mounts the end of the transcript. */
  readonly toEnd: () => void;
}

/** The mounted range by ids of segments, so that it stays valid when earlier ones are loaded. */
interface MountedSpan {
  readonly from: string;
  /** `null` for the end, whatever is there. */
  readonly to: string | null;
}

/**
 * Mounts a part of a long transcript, depending on the scroll position.
 *
 * What is being read stays in place when something is mounted above it. Layout is
 * read once per frame of scrolling, never while events are applied.
 */
export function useWindow(
  segments: readonly Segment[],
  log: RefObject<HTMLElement | null>,
  isPinned: () => boolean,
  onStart: () => void,
): Window {
  const [span, setSpan] = useState<MountedSpan | null>(null);
  const heights = useRef(new Map<string, number>());
  const above = useRef<HTMLDivElement>(null);
  const below = useRef<HTMLDivElement>(null);
  const anchor = useRef<Anchor | null>(null);
  const pace = useRef(new Pace());
  /** Id of the first mounted segment while no range is set. */
  const whole = useRef<string | null>(null);
  // A session that grows long while it is read is shortened gradually.
  const shortens = isPinned() && countItems(segments) > MAX_ITEMS;
  const range = rangeOf(segments, span, shortens ? null : whole.current);
  whole.current = span === null ? (segments[range.from]?.id ?? null) : null;
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
    const step = pace.current.items;
    let next = old;
    if (countItems(all) <= MAX_ITEMS) {
      next = extended(all, old, old.from > 0 ? 'up' : 'down', step);
    } else if (box.height === 0) {
      return false;
    } else if (start > box.height || end < 0) {
      measure(element, box, heights.current);
      next = around(all, indexAt(all, heights.current, element.scrollTop), step);
    } else {
      const segmentBoxes = measure(element, box, heights.current);
      // One side per frame: the one that is visible first.
      if (start > -box.height) {
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
    if (next.from !== old.from || next.to !== old.to) {
      const stays = { from: Math.max(next.from, old.from), to: Math.min(next.to, old.to) };
      pace.current.begin(
        countItems(all, next.from, next.to) - countItems(all, stays.from, stays.to),
      );
      setSpan({
        from: all[next.from]?.id ?? '',
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
      restoreAnchor(element, anchor.current);
    }
    pace.current.end();
    inNextFrame(check);
  }, [first, range.to - range.from, count]);

  return {
    range,
    before: heightOf(segments, heights.current, 0, range.from),
    after: heightOf(segments, heights.current, range.to, segments.length),
    above,
    below,
    toEnd: () => setSpan(null),
  };
}

/** `whole` is the id of the first mounted segment while no range is set. */
function rangeOf(
  segments: readonly Segment[],
  span: MountedSpan | null,
  whole: string | null,
): Range {
  if (span === null) {
    const from = whole === null ? -1 : segments.findIndex(({ id }) => id === whole);
    return from < 0 ? firstRange(segments) : { from, to: segments.length };
  }
  const from = segments.findIndex(({ id }) => id === span.from);
  const to = span.to === null ? segments.length : segments.findIndex(({ id }) => id === span.to);
  return from < 0 || to <= from ? firstRange(segments) : { from, to };
}

interface SegmentBox {
  readonly top: number;
  readonly bottom: number;
}

/** Measures the mounted segments: their positions in the log; their heights are stored. */
function measure(
  log: HTMLElement,
  box: DOMRect,
  heights: Map<string, number>,
): Map<string, SegmentBox> {
  const segmentBoxes = new Map<string, SegmentBox>();
  const focused = focusedElement();
  for (const each of log.querySelectorAll<HTMLElement>('[data-segment]')) {
    const id = each.dataset['segment'] ?? '';
    const { top, bottom, height } = each.getBoundingClientRect();
    heights.set(id, height);
    if (!each.contains(focused)) {
      segmentBoxes.set(id, { top: top - box.top, bottom: bottom - box.top });
    }
  }
  return segmentBoxes;
}

/** An element that is being read, and its position. */
interface Anchor {
  readonly element: Element;
  readonly top: number;
}

function anchorWithin(log: HTMLElement, box: DOMRect): Anchor | null {
  const root = log.getRootNode();
  const page = root instanceof ShadowRoot ? root : document;
  const found = page.elementFromPoint(box.left + box.width / 2, box.top + 12);
  const line = found?.closest('.acp-items > *, .acp-user, [data-segment]') ?? null;
  return line === null || !log.contains(line)
    ? null
    : { element: line, top: line.getBoundingClientRect().top - box.top };
}

function restoreAnchor(log: HTMLElement, { element, top }: Anchor): void {
  if (element.isConnected) {
    const moved = element.getBoundingClientRect().top - log.getBoundingClientRect().top - top;
    if (Math.abs(moved) >= 1) {
      log.scrollTop += moved;
    }
  }
}
/** Time for mounting in a frame; layout and paint need the rest. */
const BUDGET_MILLISECONDS = 12;

const MOST_ITEMS = 60;

/** First guess of milliseconds per item, that of a slow machine. */
const FIRST_GUESS = 0.6;

/** Measures how many items can be mounted within a frame. */
export class Pace {
  private perItem = FIRST_GUESS;
  private begun: { readonly at: number; readonly items: number } | null = null;

  constructor(private readonly now: () => number = () => performance.now()) {}

  get items(): number {
    return Math.max(1, Math.min(MOST_ITEMS, Math.floor(BUDGET_MILLISECONDS / this.perItem)));
  }

  /** Called before items are mounted. */
  begin(items: number): void {
    this.begun = items > 0 ? { at: this.now(), items } : null;
  }

  /** Called after they were mounted and laid out. */
  end(): void {
    if (this.begun !== null) {
      const { at, items } = this.begun;
      this.begun = null;
      this.perItem = (this.perItem + (this.now() - at) / items) / 2;
    }
  }
}
