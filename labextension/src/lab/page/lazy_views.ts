import type { Mounted, Translate } from '../../views';
import { loadAdditions } from './additions';

type Mount<Props> = (element: HTMLElement, props: Props) => Mounted<Props>;

/** A view whose code may still be loading. */
export interface LazyMounted<Props> extends Mounted<Props> {
  /** Resolves once it is drawn, or once loading has failed. */
  readonly drawn: Promise<void>;
}

/**
 * The views are most of this extension's code, and many pages never show one, so the code is loaded
 * when the first view is drawn.
 */
export const mountTurn = lazyView(async () => (await loadViews()).mountTurn);

export const mountPart = lazyView(async () => (await loadViews()).mountPart);

export const mountPanel = lazyView(async () => (await loadViews()).mountPanel);

export const mountReview = lazyView(async () => (await import('../../views/review')).mountReview);

export const mountRunNote = lazyView(async () => (await import('../../views/review')).mountRunNote);

/** The views, in a chunk with what the features add to them. */
const loadViews = () => import(/* webpackChunkName: "views" */ '../../views');

/** Mounts at once if the code is loaded, else as soon as it is, with the newest properties. */
export function lazyView<Props extends { readonly t?: Translate }>(
  load: () => Promise<Mount<Props>>,
): (element: HTMLElement, props: Props) => LazyMounted<Props> {
  let mount: Mount<Props> | null = null;
  return (element, props) => {
    if (mount !== null) {
      return { ...mount(element, props), drawn: Promise.resolve() };
    }
    let newest = props;
    let mounted: Mounted<Props> | null = null;
    let disposed = false;
    const drawn = Promise.all([load(), loadAdditions()]).then(
      ([loaded]) => {
        mount = loaded;
        if (!disposed) {
          mounted = loaded(element, newest);
        }
      },
      (error: unknown) => {
        console.error(error);
        if (!disposed) {
          const words = 'The view could not be loaded. Reload the page.';
          element.textContent = newest.t?.(words) ?? words;
        }
      },
    );
    return {
      drawn,
      update: next => {
        newest = next;
        mounted?.update(next);
      },
      dispose: () => {
        disposed = true;
        mounted?.dispose();
      },
    };
  };
}
