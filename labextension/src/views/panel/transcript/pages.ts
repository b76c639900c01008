import { useCallback, useRef, useState } from 'preact/hooks';

import { useScene } from '../../scene';
import type { MountedGap } from './anchor';
import type { Gap } from './segments';

/** Number of items fetched at once: more take longer than a frame to parse. */
export const PAGE_ITEMS = 100;

/** Number of items above the visible ones, in a page in the middle of a gap. */
const ABOVE_ITEMS = 20;

/** Indexes of items that are not loaded; `end` is exclusive. */
export interface Page {
  readonly start: number;
  readonly end: number;
  /** Whether it joins no visible items, so that scrolling may pass it. */
  readonly far: boolean;
}

/**
 * The page that is needed most: of a visible gap, else of one up to a view away.
 *
 * It joins the visible items, on their side.
 */
export function pageFor(gaps: readonly MountedGap[], height: number): Page | null {
  const within = (margin: number) =>
    gaps.find(({ top, bottom }) => top < height + margin && bottom > -margin);
  const found = within(0) ?? within(height);
  const gap = found?.segment.gap ?? null;
  if (found === undefined || gap === null) {
    return null;
  }
  if (found.bottom <= height || gap.count <= PAGE_ITEMS) {
    return lastOf(gap);
  }
  if (found.top >= 0) {
    return { start: gap.first, end: gap.first + PAGE_ITEMS, far: false };
  }
  const seen = gap.first + Math.floor((-found.top / gap.height) * gap.count);
  const start = Math.min(gap.first + gap.count - PAGE_ITEMS, seen - ABOVE_ITEMS);
  return between(gap, start, true);
}

/** The items before the end of a gap. */
export function lastOf(gap: Gap): Page {
  return between(gap, gap.first + gap.count - PAGE_ITEMS, false);
}

function between({ first, count }: Gap, from: number, far: boolean): Page {
  const start = Math.max(first, from);
  return { start, end: Math.min(first + count, start + PAGE_ITEMS), far };
}

interface Pages {
  /** Fetches a page, unless one is being fetched or this one failed. */
  readonly ask: (page: Page) => void;
  /** Fetches a page that the user asks for. */
  readonly load: (page: Page) => void;
  /** The last page that could not be fetched. */
  readonly failed: Page | null;
}

/** Fetches items that are not loaded, one page at a time. */
export function usePages(): Pages {
  const { store, actions } = useScene();
  const [failed, setFailed] = useState<Page | null>(null);
  const known = useRef(failed);
  const loading = useRef(false);
  const load = useCallback(
    (page: Page) => {
      if (loading.current || actions?.loadItems === undefined) {
        return;
      }
      const tell = (next: Page | null) => {
        loading.current = false;
        known.current = next;
        setFailed(next);
      };
      loading.current = true;
      actions.loadItems(store.sessionId, page.start, page.end).then(
        () => tell(null),
        () => tell(page),
      );
    },
    [store, actions],
  );
  const ask = useCallback(
    (page: Page) => {
      if (page.start !== known.current?.start) {
        load(page);
      }
    },
    [load],
  );
  return { ask, load, failed };
}
