import { FIRST, GO_TO, LAST } from '../../state/ui';
import { isUserEvent, press } from '../user_events';
import type { Scene } from '../scene';

/**
 * Handles a key pressed inside a view; returns whether it was handled. `own` leaves it to the
 * focused element, and keeps it from the page's shortcuts.
 */
export type KeyHandler = (event: KeyboardEvent) => boolean | 'own';

const views = new Map<Element, KeyHandler>();

/**
 * Listens to keys inside a view, before the page's own shortcuts do.
 *
 * In a notebook the same single keys change cells, so keys that a view handles must not reach it,
 * and all others must.
 */
export function listenToKeys(view: Element, handler: KeyHandler): () => void {
  if (views.size === 0) {
    window.addEventListener('keydown', onKey, { capture: true });
  }
  views.set(view, handler);
  return () => {
    views.delete(view);
    if (views.size === 0) {
      window.removeEventListener('keydown', onKey, { capture: true });
    }
  };
}

/** Whether an element takes keys as text. */
export function isTextField(element: Element | null): boolean {
  return (
    element instanceof HTMLTextAreaElement ||
    (element instanceof HTMLInputElement &&
      !['checkbox', 'radio', 'button'].includes(element.type)) ||
    (element instanceof HTMLElement &&
      (element.isContentEditable || element.closest('.cm-editor') !== null))
  );
}

/** Whether a key is pressed together with a modifier of shortcuts. */
export function isHeld(event: KeyboardEvent): boolean {
  return event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
}

/** The element that receives a key, also inside a shadow root. */
export function targetOf(event: Event): Element | null {
  const [target] = event.composedPath();
  return target instanceof Element ? target : null;
}

/** The element that has the focus, also inside a shadow root. */
export function focusedElement(): Element | null {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) {
    focused = focused.shadowRoot.activeElement;
  }
  return focused;
}

function onKey(event: KeyboardEvent): void {
  if (!isUserEvent(event)) {
    return;
  }
  const target = targetOf(event);
  const view = target?.closest('.acp') ?? null;
  if (view !== null && isOfInputMethod(event)) {
    event.stopImmediatePropagation();
    return;
  }
  const handled = (view === null ? undefined : views.get(view))?.(event) ?? false;
  if (handled === true) {
    event.preventDefault();
  }
  if (handled !== false) {
    event.stopImmediatePropagation();
  }
}

/**
 * Whether a key is for an input method, which makes characters of several keys: it neither sends
 * nor chooses anything here. In Safari only the key code shows the last key of a composition.
 */
function isOfInputMethod(event: KeyboardEvent): boolean {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- no newer property has it
  return event.isComposing || event.keyCode === INPUT_METHOD_KEY;
}

const INPUT_METHOD_KEY = 229;

/**
 * Attributes that keep a control's keys from Lumino's shortcuts, which look at the focused element
 * and its parents. Without them "d d" on a radio button deletes the cell.
 */
export const OWN_KEYS = { 'data-lm-suppress-shortcuts': 'true' } as const;

/** Elements that the arrow keys move to. */
const STOPS =
  '.acp-line, .acp-user, .acp-prose, .acp-perm, .acp-question, .acp-note, .acp-artifact';

const PROMPTS = '.acp-user, .acp-head';

/**
 * The transcript's keys: up and down an item, right opens, left closes or goes
 * to the parent, Home and End, Alt with up and down by prompts, c copies.
 */
export function moveInTranscript(view: Element, event: KeyboardEvent, scene: Scene): boolean {
  const target = event.target instanceof HTMLElement ? event.target : null;
  if (target === null || isTextField(target) || event.ctrlKey || event.metaKey || event.shiftKey) {
    return false;
  }
  const log = view.querySelector('.acp-log') ?? view.querySelector('.acp-turn');
  // Inside scrollable boxes and among the options of a request arrows keep their usual meaning.
  if (
    log?.contains(target) !== true ||
    target.matches('pre, .acp-scroll, .lines, .acp-opts *, .acp-question *')
  ) {
    return false;
  }
  if (event.altKey) {
    return (
      (event.key === 'ArrowUp' || event.key === 'ArrowDown') &&
      moveBy(log, target, PROMPTS, event.key === 'ArrowUp' ? -1 : 1)
    );
  }
  switch (event.key) {
    case 'ArrowDown':
      return moveBy(log, target, STOPS, 1);
    case 'ArrowUp':
      return moveBy(log, target, STOPS, -1);
    case 'Home':
      return goToEnd(log, FIRST, scene);
    case 'End':
      return goToEnd(log, LAST, scene);
    case 'ArrowRight':
      return toggle(target, 'false');
    case 'ArrowLeft':
      return toggle(target, 'true') || focusOn(parentLine(target));
    case 'c':
      return copyItem(target, scene);
    default:
      return false;
  }
}

/** Goes to the beginning or the end, which the panel may have to mount first. */
function goToEnd(log: Element, end: typeof FIRST | typeof LAST, scene: Scene): boolean {
  if (log.matches('.acp-log')) {
    scene.store.ui.setValue(GO_TO, end);
    return true;
  }
  return focusOnEnd(log, end);
}

/** Focuses the first or the last item that is mounted. */
export function focusOnEnd(log: Element, end: typeof FIRST | typeof LAST): boolean {
  const all = stops(log, STOPS);
  return focusOn(end === FIRST ? all[0] : all.pop());
}

function stops(log: Element, selector: string): HTMLElement[] {
  return [...log.querySelectorAll<HTMLElement>(selector)];
}

function moveBy(log: Element, from: HTMLElement, selector: string, by: 1 | -1): boolean {
  const all = stops(log, selector);
  const here = all.indexOf(from.closest<HTMLElement>(selector) ?? from);
  if (here >= 0) {
    return focusOn(all[here + by]);
  }
  // Between two items: the nearest in that direction.
  const after = all.findIndex(
    each => (from.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0,
  );
  const next = by === 1 ? after : (after < 0 ? all.length : after) - 1;
  return focusOn(all[next]);
}

function focusOn(element: HTMLElement | undefined | null): boolean {
  if (element === undefined || element === null) {
    return false;
  }
  if (!element.matches('button, summary, [tabindex]')) {
    element.tabIndex = -1;
  }
  element.focus();
  return true;
}

function toggle(target: HTMLElement, when: 'true' | 'false'): boolean {
  if (target.getAttribute('aria-expanded') !== when) {
    return false;
  }
  press(target);
  return true;
}

/** The line of the group or card that holds the item, if there is one. */
function parentLine(target: HTMLElement): HTMLElement | null {
  const box = target.closest('.acp-rows, .acp-body');
  const line = box?.parentElement?.querySelector(':scope > .acp-line') ?? null;
  return line instanceof HTMLElement && line !== target ? line : null;
}

function copyItem(target: HTMLElement, { actions }: Scene): boolean {
  const item = target.closest<HTMLElement>(
    '.acp-prose, .acp-user, .acp-tool, .acp-plan, .acp-note, .acp-artifact',
  );
  if (actions?.copy === undefined || item === null) {
    return false;
  }
  void actions.copy(item.innerText);
  return true;
}
