/** Gets reports about an element: whether it is in the viewport, or within its height of it. */
export type OnVisibility = (element: Element, isNear: boolean, height: number) => void;

/** Called once after each batch of reports about its elements. */
export interface VisibilityListener {
  readonly onVisibility: OnVisibility;
  readonly settle: () => void;
}

/** Distance from the viewport within which elements are drawn. */
const MARGIN = '100% 0px';

const listeners = new WeakMap<Element, VisibilityListener>();

let observer: IntersectionObserver | null = null;

/** Whether the page can observe what is in view; otherwise everything is drawn. */
export function canWatch(): boolean {
  return typeof IntersectionObserver !== 'undefined';
}

/** Reports about an element now, and when it comes near or goes away. One observer for the page. */
export function watch(element: Element, listener: VisibilityListener): void {
  listeners.set(element, listener);
  // Without `scrollMargin`, elements in boxes that scroll are near only when they are visible.
  const options = { rootMargin: MARGIN, scrollMargin: MARGIN };
  observer ??= new IntersectionObserver(notify, options);
  observer.observe(element);
}

export function unwatch(element: Element): void {
  if (listeners.delete(element)) {
    observer?.unobserve(element);
  }
}

function notify(entries: readonly IntersectionObserverEntry[]): void {
  const notified = new Set<VisibilityListener>();
  for (const { target, isIntersecting, boundingClientRect: box } of entries) {
    const listener = listeners.get(target);
    // An element without layout, such as a cell of a hidden tab, is neither near nor far.
    if (listener !== undefined && (isIntersecting || box.width > 0)) {
      listener.onVisibility(target, isIntersecting, box.height);
      notified.add(listener);
    }
  }
  for (const listener of notified) {
    listener.settle();
  }
}
