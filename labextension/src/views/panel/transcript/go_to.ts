import type { RefObject } from 'preact';
import { useCallback, useLayoutEffect, useRef } from 'preact/hooks';

import { FIRST, GO_TO, LAST, NOTICE } from '../../../state/ui';
import { messageOf } from '../../parts/buttons';
import { inNextFrame } from '../../parts/frame';
import { focusOnEnd } from '../../parts/keyboard';
import { useScene } from '../../scene';
import { elementOf } from './anchor';
import { PAGE_ITEMS } from './pages';
import type { Pinned } from './pinned';
import type { Segment } from './segments';
import type { Window } from './windowed';

/**
 * Number of frames in which it scrolls to a turn again: a panel that was just shown still resizes.
 */
const FRAMES = 10;

/** Events by which the user goes somewhere else meanwhile. */
const SIGNS = ['wheel', 'pointerdown', 'keydown'] as const;

/**
 * Goes where the store's `GO_TO` says, to a turn or to the session's beginning or end, and focuses
 * it. Fetches items that are not loaded, and mounts segments that are not mounted.
 */
export function useGoTo(
  segments: readonly Segment[],
  {
    log,
    toEnd,
    scrolled,
  }: Pick<Pinned, 'scrolled' | 'toEnd'> & {
    readonly log: RefObject<HTMLElement | null>;
  },
  shown: Window,
): void {
  const { store, actions } = useScene();
  /** Id of the target; empty once it is reached. */
  const target = useRef('');
  /** The turn whose items were fetched. */
  const fetched = useRef('');
  /** Number of remaining scrolls to it. */
  const frames = useRef(0);
  const now = useRef({ segments, shown });
  now.current = { segments, shown };

  const fetch = useCallback(
    (turnId: string) => {
      fetched.current = turnId;
      const over = (): boolean => {
        if (target.current === turnId) {
          target.current = '';
        }
        return false;
      };
      // The fetched items are drawn, and scrolled to, before this ends.
      actions
        ?.loadItems?.(store.sessionId, 0, PAGE_ITEMS, turnId)
        .catch((error: unknown) => store.ui.setValue(NOTICE, messageOf(error)))
        .finally(() => inNextFrame(over));
    },
    [store, actions],
  );

  const step = useCallback(() => {
    const { segments: all, shown: window } = now.current;
    const element = log.current;
    const to = target.current;
    if (to === '' || element === null || store.view.seq === null) {
      return;
    }
    if (to === LAST) {
      const isMounted = window.range.to === all.length;
      window.toEnd();
      toEnd();
      if (isMounted) {
        target.current = '';
        focusOnEnd(element, LAST);
      }
      return;
    }
    if (to === FIRST && all[0]?.gap) {
      // A gap is fetched when it is visible.
      element.scrollTop = 0;
      scrolled();
      window.look();
      return;
    }
    const index = to === FIRST ? 0 : beginningOf(all, to, fetched.current === to);
    if (index < 0) {
      if (fetched.current !== to) {
        fetch(to);
      }
      return;
    }
    if (index < window.range.from || index >= window.range.to) {
      window.mount(index);
      return;
    }
    target.current = '';
    if (to === FIRST) {
      element.scrollTop = 0;
      focusOnEnd(element, FIRST);
      scrolled();
      return;
    }
    const turn = elementOf(element, all[index]?.id ?? '');
    if (turn !== null) {
      turn.tabIndex = -1;
      turn.focus({ preventScroll: true });
      frames.current = FRAMES;
      const scroll = (): boolean => {
        if (frames.current > 0 && turn.isConnected) {
          element.scrollTop +=
            turn.getBoundingClientRect().top - element.getBoundingClientRect().top;
          scrolled();
        }
        frames.current -= 1;
        return frames.current > 0;
      };
      inNextFrame(scroll);
      scroll();
    }
  }, [log, store, fetch, toEnd, scrolled]);

  useLayoutEffect(step);
  useLayoutEffect(() => {
    const take = () => {
      const to = store.ui.value(GO_TO);
      if (to !== '') {
        target.current = to;
        fetched.current = '';
        store.ui.setValue(GO_TO, '');
        step();
      }
    };
    take();
    return store.ui.subscribe(GO_TO, take);
  }, [store, step]);
  useLayoutEffect(() => {
    const element = log.current;
    const stay = () => {
      target.current = '';
      frames.current = 0;
    };
    SIGNS.forEach(sign => element?.addEventListener(sign, stay, { passive: true }));
    return () => SIGNS.forEach(sign => element?.removeEventListener(sign, stay));
  }, [log]);
}

/** Index of the segment with which a turn begins; -1 if that may not be loaded. */
function beginningOf(segments: readonly Segment[], turnId: string, isFetched: boolean): number {
  const index = segments.findIndex(segment => segment.turnId === turnId);
  return index > 0 && !isFetched && segments[index - 1]?.gap ? -1 : index;
}
