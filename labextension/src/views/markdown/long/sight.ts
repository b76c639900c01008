/** Gets reports about an element: whether it is in the viewport, or within its height of it. */
export type OnSight = (element: Element, isNear: boolean, height: number) => void;

/** Called once after each batch of reports about its elements. */
export interface Watcher {
  readonly seen: OnSight;
  readonly settle: () => void;
}

/** Distance from the viewport within which elements are drawn. */
const MARGIN = '100% 0px';

const watchers = new WeakMap<Element, Watcher>();

let observer: IntersectionObserver | null = null;

/** Whether the page can observe what is in view; otherwise everything is drawn. */
export function canWatch(): boolean {
  return typeof IntersectionObserver !== 'undefined';
}

/** Reports about an element now, and when it comes near or goes away. One observer for the page. */
export function watch(element: Element, watcher: Watcher): void {
  watchers.set(element, watcher);
  // Without `scrollMargin`, elements in boxes that scroll are near only when they are visible.
  const options = { rootMargin: MARGIN, scrollMargin: MARGIN };
  observer ??= new IntersectionObserver(tell, options);
  observer.observe(element);
}

export function unwatch(element: Element): void {
  if (watchers.delete(element)) {
    observer?.unobserve(element);
  }
}

function tell(entries: readonly IntersectionObserverEntry[]): void {
  const told = new Set<Watcher>();
  for (const { target, isIntersecting, boundingClientRect: box } of entries) {
    const watcher = watchers.get(target);
    // An element without layout, such as a cell of a hidden tab, is neither near nor far.
    if (watcher !== undefined && (isIntersecting || box.width > 0)) {
      watcher.seen(target, isIntersecting, box.height);
      told.add(watcher);
    }
  }
  for (const watcher of told) {
    watcher.settle();
  }
}
