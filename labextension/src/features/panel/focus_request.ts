import { press } from '../../views/by_person';
import { isDrawn, isSqueezed, scrollToRequest } from '../../views/request/in_view';
import { UNSELECTED_CLASS } from '../page/ids';

/**
 * Focuses the newest request's group, not a button: Enter must not allow by accident.
 *
 * Returns whether one has the focus now.
 */
export function focusRequest(root: HTMLElement): boolean {
  // One that nobody may answer here has no buttons but those that lead to others.
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
  return true;
}

/** What hides the request of a variant whose tab is not selected. */
function unselected(request: HTMLElement): HTMLElement | null {
  return request.closest<HTMLElement>(`.${UNSELECTED_CLASS}`);
}

function selectTabOf(request: HTMLElement): void {
  const panel = request.closest('[role="tabpanel"]')?.id ?? '';
  press(unselected(request)?.querySelector(`[role="tab"][aria-controls="${CSS.escape(panel)}"]`));
}

/** How long a cell or the panel may take to draw a request. */
const DRAWN_MS = 3_000;

/** Resolves to a request once it is drawn in an element; to `null` where it soon isn't. */
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
