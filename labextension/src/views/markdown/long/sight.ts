/** What is told of an element: whether it is in the view, or within a view's height of it. */
export type OnSight = (element: Element, isNear: boolean, height: number) => void;

/** Called once after all that was told of its elements at a time. */
export interface Watcher {
  readonly seen: OnSight;
  readonly settle: () => void;
}

/** As far beside the view what is drawn. */
const MARGIN = '100% 0px';

const watchers = new WeakMap<Element, Watcher>();

let observer: IntersectionObserver | null = null;

/** Whether the page can tell what is in view; else all is drawn. */
export function canWatch(): boolean {
  return typeof IntersectionObserver !== 'undefined';
}

/** Tells of an element now, and when it comes near or goes away. One observer for the page. */
export function watch(element: Element, watcher: Watcher): void {
  watchers.set(element, watcher);
  // Where `scrollMargin` is not known, elements in boxes that scroll are near only when in view.
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
    // What is not laid out, such as the cell of a hidden tab, is neither near nor far.
    if (watcher !== undefined && (isIntersecting || box.width > 0)) {
      watcher.seen(target, isIntersecting, box.height);
      told.add(watcher);
    }
  }
  for (const watcher of told) {
    watcher.settle();
  }
}
