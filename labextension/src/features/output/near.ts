/** As far beside the view an element counts as near. */
const MARGIN = '100% 0px';
/** Where `scrollMargin` is not known, what is in a box that scrolls is near only when in view. */
const NEAR: IntersectionObserverInit & { readonly scrollMargin: string } = {
  rootMargin: MARGIN,
  scrollMargin: MARGIN,
};

/**
 * Calls `then` once, when an element is in the view or within a view's height of it. Returns what
 * ends the wait.
 */
export function whenNear(element: Element, then: () => void): () => void {
  const observer = new IntersectionObserver(entries => {
    if (entries.some(({ isIntersecting }) => isIntersecting)) {
      observer.disconnect();
      then();
    }
  }, NEAR);
  observer.observe(element);
  return () => observer.disconnect();
}
