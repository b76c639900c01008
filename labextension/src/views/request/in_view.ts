/** Time after scrolling or typing in which the page doesn't move the reader. */
const BUSY_MS = 3_000;

/**
 * Number of frames in which it scrolls to a request, since cells above it are drawn only when they
 * come into view.
 */
const FRAMES = 30;

/** Space left between a request and the content above or below it. */
const GAP = 8;

const SCROLLER = '.jp-WindowedPanel-outer, .acp-log';

const SCROLL_KEYS = new Set(['ArrowDown', 'ArrowUp', 'End', 'Home', 'PageDown', 'PageUp']);

let acted = -Infinity;
/** Counts all user actions, also other than scrolling or typing. */
let inputs = 0;
let isWatching = false;

/** Notes from now on when a person scrolls or types in the page. */
export function watchReader(): void {
  if (isWatching) {
    return;
  }
  isWatching = true;
  const note = () => {
    inputs += 1;
    acted = performance.now();
  };
  const options = { capture: true, passive: true };
  // `input`, not keys: a key that runs a cell is no typing.
  ['wheel', 'touchmove', 'input'].forEach(name => document.addEventListener(name, note, options));
  const noteKey = ({ key }: KeyboardEvent) => {
    inputs += 1;
    if (SCROLL_KEYS.has(key)) {
      note();
    }
  };
  window.addEventListener('keydown', noteKey, options);
  const notePress = ({ target, offsetX }: PointerEvent) => {
    inputs += 1;
    const isOnBar = target instanceof Element && offsetX >= target.clientWidth;
    if (isOnBar && target.matches(SCROLLER)) {
      note();
    }
  };
  document.addEventListener('pointerdown', notePress, options);
}

/** Whether a person has just scrolled or typed. */
export function isReaderBusy(): boolean {
  return performance.now() - acted < BUSY_MS;
}

/**
 * Scrolls a notebook or the panel to a new request: to the whole of it, or to its beginning.
 *
 * Not while the user scrolls or types, nor away from another request, which the user is looking at.
 */
export function bringIntoView(card: HTMLElement): void {
  const scroller = card.closest<HTMLElement>(SCROLLER);
  if (scroller !== null && isDrawn(card) && !isReaderBusy()) {
    const others = [...scroller.querySelectorAll('[data-request]')].filter(each => each !== card);
    if (!others.some(each => isIn(scroller, each))) {
      scrollToRequest(card);
    }
  }
}

/** Whether a request can be seen; a windowed notebook collapses cells that are not near. */
export function isDrawn(card: HTMLElement): boolean {
  return card.offsetParent !== null && !isSqueezed(card);
}

export function isSqueezed(card: HTMLElement): boolean {
  return card.closest<HTMLElement>('.jp-Cell')?.offsetHeight === 0;
}

/** Scrolls so that nothing covers a request; one that is too high is shown from its beginning. */
export function scrollToRequest(card: HTMLElement): void {
  const since = inputs;
  let frames = FRAMES;
  // In all boxes that scroll; the rest is about the outermost one.
  card.scrollIntoView({ block: 'nearest' });
  const step = () => {
    if (frames > 0 && inputs === since && card.isConnected) {
      frames -= 1;
      show(card);
      requestAnimationFrame(step);
    }
  };
  step();
}

function show(card: HTMLElement): void {
  const scroller = card.closest<HTMLElement>(SCROLLER);
  if (scroller === null) {
    return;
  }
  const box = card.getBoundingClientRect();
  const { top, bottom } = freeOf(scroller, card);
  const fits = box.height <= bottom - top;
  if (!fits || box.top < top) {
    scroller.scrollTop += box.top - top;
  } else if (box.bottom > bottom) {
    scroller.scrollTop += box.bottom - bottom;
  }
}

/** The range of heights in which nothing, such as a plan, covers a card. */
function freeOf(
  scroller: HTMLElement,
  card: HTMLElement,
): { readonly top: number; readonly bottom: number } {
  const area = scroller.getBoundingClientRect();
  const plans = card.closest('.acp')?.querySelectorAll<HTMLElement>('.acp-plan[data-running]');
  const above = [...(plans ?? [])].filter(
    plan =>
      getComputedStyle(plan).position === 'sticky' &&
      (plan.compareDocumentPosition(card) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0,
  );
  const top = area.top + Math.max(0, ...above.map(plan => plan.offsetHeight)) + GAP;
  return { top, bottom: Math.min(area.bottom, window.innerHeight) - GAP };
}

function isIn(scroller: Element, element: Element): boolean {
  const area = scroller.getBoundingClientRect();
  const { top, bottom, height } = element.getBoundingClientRect();
  return height > 0 && top < area.bottom && bottom > area.top;
}
