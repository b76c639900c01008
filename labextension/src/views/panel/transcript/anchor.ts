import { focusedElement } from '../../parts/keyboard';
import { segmentAt } from './segments';
import type { Segment } from './segments';
import { heightOf } from './window_range';
import type { Range } from './window_range';

/** The layout: the segments, which of them are mounted, and the spaces for the others. */
export interface Laid {
  readonly log: HTMLElement;
  readonly segments: readonly Segment[];
  readonly range: Range;
  readonly above: HTMLElement;
  readonly below: HTMLElement;
  /** Heights of segments, as last measured. */
  readonly heights: ReadonlyMap<string, number>;
}

/**
 * The content that is being read, and its position, to restore when something else has moved it.
 */
export type Anchor =
  | { readonly element: Element; readonly top: number; readonly scrollTop?: number }
  | {
      /** Index of the item at the top, with a fraction. */
      readonly place: number;
      readonly scrollTop: number;
    };

/** The element at the top, or the place in a gap; if nothing is mounted, the earlier anchor. */
export function anchorOf(laid: Laid, former: Anchor | null): Anchor | null {
  const { log } = laid;
  const box = log.getBoundingClientRect();
  const element = elementAt(log, box);
  if (element !== null) {
    return { element, top: element.getBoundingClientRect().top - box.top };
  }
  const found = mountedGaps(laid).find(({ top, bottom }) => top <= 0 && bottom > 0);
  const gap = found?.segment.gap;
  return found && gap
    ? { place: gap.first - (found.top / gap.height) * gap.count, scrollTop: log.scrollTop }
    : former && 'place' in former
      ? former
      : null;
}

/** Scrolls so that the anchor is where it was; returns that position. */
export function restoreAnchor(laid: Laid, anchor: Anchor): Anchor {
  const { log } = laid;
  const top = log.getBoundingClientRect().top;
  let moved = 0;
  if ('element' in anchor) {
    if (anchor.element.isConnected) {
      moved = anchor.element.getBoundingClientRect().top - top - anchor.top;
    }
  } else if (Math.abs(log.scrollTop - anchor.scrollTop) < 1) {
    moved = topOf(laid, anchor.place) - top;
  }
  if (Math.abs(moved) >= 1) {
    log.scrollTop += moved;
  }
  return { ...anchor, scrollTop: log.scrollTop };
}

/** The line that is being read: at the top, or below a gap there. */
function elementAt(log: HTMLElement, box: DOMRect): Element | null {
  const root = log.getRootNode();
  const page = root instanceof ShadowRoot ? root : document;
  const found = page.elementFromPoint(box.left + box.width / 2, box.top + 12);
  const line = found?.closest('.acp-items > *, .acp-user, [data-segment]') ?? null;
  if (line === null || !log.contains(line)) {
    return null;
  }
  if (!isGap(line)) {
    return line;
  }
  const next = line.nextElementSibling;
  const isInView = line.getBoundingClientRect().bottom < box.bottom;
  return isInView && next?.matches('[data-segment]') === true && !isGap(next) ? next : null;
}

function isGap(element: Element): boolean {
  return element.matches('.acp-gap');
}

/** Position of an item's segment, or of the item itself in a gap, from the page's top. */
function topOf({ log, segments, range, above, below, heights }: Laid, place: number): number {
  const index = segmentAt(segments, place);
  const { gap = null, first = 0, id = '' } = segments[index] ?? {};
  const within = gap === null ? 0 : ((place - first) / gap.count) * gap.height;
  if (index >= range.from && index < range.to) {
    return (elementOf(log, id)?.getBoundingClientRect().top ?? 0) + within;
  }
  const [space, from] = index < range.from ? [above, 0] : [below, range.to];
  return space.getBoundingClientRect().top + heightOf(segments, heights, from, index) + within;
}

/** The element of a mounted segment. */
export function elementOf(log: HTMLElement, id: string): HTMLElement | null {
  return log.querySelector<HTMLElement>(`[data-segment="${CSS.escape(id)}"]`);
}

/** A gap that is mounted, and its edges from the log's top. */
export interface MountedGap {
  readonly segment: Segment;
  readonly top: number;
  readonly bottom: number;
}

export function mountedGaps({ log, segments, range }: Laid): MountedGap[] {
  const box = log.getBoundingClientRect();
  return segments.slice(range.from, range.to).flatMap(segment => {
    const element = segment.gap === null ? null : elementOf(log, segment.id);
    if (element === null) {
      return [];
    }
    const { top, bottom } = element.getBoundingClientRect();
    return [{ segment, top: top - box.top, bottom: bottom - box.top }];
  });
}

interface SegmentBox {
  readonly top: number;
  readonly bottom: number;
}

/** Measures the mounted segments: their positions in the log; their heights are stored. */
export function measure(
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
