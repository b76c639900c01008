/** Distance from the viewport within which an element counts as near. */
const MARGIN = '100% 0px';
/** Without `scrollMargin`, an element in a box that scrolls is near only when it is visible. */
const OPTIONS: IntersectionObserverInit & { readonly scrollMargin: string } = {
  rootMargin: MARGIN,
  scrollMargin: MARGIN,
};

/**
 * Calls `then` once, when an element is in the viewport or within its height of it. Returns a
 * function that ends the wait.
 */
export function whenNearViewport(element: Element, then: () => void): () => void {
  const observer = new IntersectionObserver(entries => {
    if (entries.some(({ isIntersecting }) => isIntersecting)) {
      observer.disconnect();
      then();
    }
  }, OPTIONS);
  observer.observe(element);
  return () => observer.disconnect();
}
