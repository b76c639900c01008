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
  keepFocus(newest);
  return true;
}

/** How late JupyterLab may focus a notebook that was opened or changed. */
const LATE_FOCUS_MS = 1_000;

/** It may do so a few times. */
const MOST_TIMES = 5;

/** Gives a request its focus back where JupyterLab takes it; a person's key or click ends that. */
function keepFocus(request: HTMLElement): void {
  const ended = new AbortController();
  const options = { capture: true, signal: ended.signal };
  const end = () => {
    ended.abort();
  };
  let times = 0;
  document.addEventListener('keydown', end, options);
  document.addEventListener('pointerdown', end, options);
  document.addEventListener(
    'focusin',
    () => {
      if (!request.matches(':focus-within') && request.isConnected && times < MOST_TIMES) {
        times += 1;
        request.focus({ preventScroll: true });
      }
    },
    options,
  );
  setTimeout(end, LATE_FOCUS_MS);
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
