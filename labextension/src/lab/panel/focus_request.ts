import { press } from '../../views/user_events';
import { isDrawn, isSqueezed, scrollToRequest } from '../../views/request/in_view';
import { UNSELECTED_CLASS } from '../page/ids';

/**
 * Focuses the newest request's group, not a button, so that Enter can't allow by accident.
 *
 * For `keptMs` the request gets the focus back if JupyterLab takes it. Returns whether a request has
 * the focus now.
 */
export function focusRequest(root: HTMLElement, keptMs = LATE_FOCUS_MS): boolean {
  // A request that can't be answered here has only buttons that lead to others.
  const found = root.querySelectorAll<HTMLElement>('[data-request]:has(button:not(.badge))');
  const waiting = [...found].filter(each => !isSqueezed(each)).reverse();
  const newest = waiting.find(each => unselected(each) === null) ?? waiting[0];
  if (newest === undefined) {
    return false;
  }
  selectTabOf(newest);
  newest.focus({ preventScroll: true });
  if (newest !== document.activeElement) {
    return false;
  }
  scrollToRequest(newest);
  keepFocus(root, newest.dataset['request'] ?? '', keptMs);
  return true;
}

/** Longest delay with which JupyterLab focuses a notebook that was changed. */
const LATE_FOCUS_MS = 1_000;

/** It may do so several times. */
const MAX_TIMES = 5;

/**
 * Gives a request the focus back until the user presses a key or clicks.
 *
 * JupyterLab focuses a notebook late, and draws its outputs again, which leaves the focus nowhere.
 */
function keepFocus(root: HTMLElement, request: string, keptMs: number): void {
  const until = performance.now() + keptMs;
  const ended = new AbortController();
  const options = { capture: true, signal: ended.signal };
  const end = () => {
    ended.abort();
  };
  document.addEventListener('keydown', end, options);
  document.addEventListener('pointerdown', end, options);
  let times = 0;
  const step = () => {
    if (ended.signal.aborted || times === MAX_TIMES || performance.now() > until) {
      end();
      return;
    }
    // A notebook that loads its file again has other cells.
    const scope = root.isConnected ? root : document;
    const cards = scope.querySelectorAll<HTMLElement>(`[data-request="${CSS.escape(request)}"]`);
    const isFocused = (card: HTMLElement) => card.matches(':focus-within');
    if (![...cards].some(isFocused) && !isInDialog(document.activeElement)) {
      // What isn't drawn yet can't have the focus.
      const given = [...cards].some(card => {
        card.focus({ preventScroll: true });
        return isFocused(card);
      });
      times += given ? 1 : 0;
    }
    requestAnimationFrame(step);
  };
  step();
}

function isInDialog(element: Element | null): boolean {
  return (element?.closest('dialog, [role="dialog"]') ?? null) !== null;
}

/** The element that hides the request of a variant whose tab is not selected. */
function unselected(request: HTMLElement): HTMLElement | null {
  return request.closest<HTMLElement>(`.${UNSELECTED_CLASS}`);
}

function selectTabOf(request: HTMLElement): void {
  const panel = request.closest('[role="tabpanel"]')?.id ?? '';
  press(unselected(request)?.querySelector(`[role="tab"][aria-controls="${CSS.escape(panel)}"]`));
}

/** Longest time that a cell or the panel takes to draw a request. */
const DRAWN_MS = 3_000;

/** Resolves to a request once it is drawn in an element; to `null` if it isn't in time. */
export async function drawnRequest(
  root: Element,
  request: string,
  withinMs = DRAWN_MS,
): Promise<HTMLElement | null> {
  const since = performance.now();
  while (performance.now() - since < withinMs) {
    await new Promise(resolve => requestAnimationFrame(resolve));
    const card = root.querySelector<HTMLElement>(`[data-request="${CSS.escape(request)}"]`);
    if (card !== null && isDrawn(card)) {
      return card;
    }
  }
  return null;
}
