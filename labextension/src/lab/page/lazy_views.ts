import type { Mounted, Translate } from '../../views';

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
export const mountTurn = lazyView(async () => (await import('../../views')).mountTurn);

export const mountPart = lazyView(async () => (await import('../../views')).mountPart);

export const mountPanel = lazyView(async () => (await import('../../views')).mountPanel);

export const mountTraffic = lazyView(async () => (await import('../../views')).mountTraffic);

export const mountReview = lazyView(async () => (await import('../../views/review')).mountReview);

export const mountCheck = lazyView(
  async () => (await import('../../features/checks/view')).mountCheck,
);

export const mountHistory = lazyView(
  async () => (await import('../../features/history/view')).mountHistory,
);

export const mountRunNote = lazyView(async () => (await import('../../views/review')).mountRunNote);

export const mountVariants = lazyView(
  async () => (await import('../../features/variants/view')).mountVariants,
);

export const mountVariantsReview = lazyView(
  async () => (await import('../../features/variants/view/review')).mountVariantsReview,
);

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
    const drawn = load().then(
      loaded => {
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
