import { isTextField } from '../parts/keyboard';

/** A key pressed for something else must not answer a question that has just appeared. */
const GUARD_MILLISECONDS = 400;

const appeared = new WeakMap<Element, number>();

/** Keys 1 to 9 choose an option of the question in focus, else of the first one; Escape leaves it. */
export function answerByKey(view: Element, event: KeyboardEvent): boolean {
  const target = event.target instanceof Element ? event.target : null;
  if (event.key === 'Escape' && (target?.closest('.acp-perm') ?? null) !== null) {
    return toComposer(view);
  }
  if (
    !/^[1-9]$/.test(event.key) ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    event.shiftKey ||
    isTextField(target) ||
    (target?.closest('.acp-question') ?? null) !== null
  ) {
    return false;
  }
  const card = target?.closest('.acp-perm') ?? view.querySelector('.acp-perm');
  if (card === null) {
    return false;
  }
  const since = appeared.get(card);
  const old = since !== undefined && performance.now() - since >= GUARD_MILLISECONDS;
  const option = card.querySelector(`button[data-option="${event.key}"]`);
  if (old && !event.repeat && option instanceof HTMLButtonElement) {
    option.click();
  }
  // Also when too early: it was meant for the view.
  return true;
}

/** Leaves the question open. */
function toComposer(view: Element): boolean {
  const box = view.querySelector('textarea');
  box?.focus();
  return box !== null;
}

/** Starts the guard of a question. */
export function noteAppearance(card: Element): void {
  appeared.set(card, performance.now());
}

/**
 * Whether a question may take the focus, as a group: Enter must not press a button by accident.
 *
 * Never from a text field, and never from another part of the page.
 */
export function mayTakeFocus(card: HTMLElement): boolean {
  const active = document.activeElement;
  return (
    active === null ||
    active === document.body ||
    (!isTextField(active) &&
      active.closest('.acp-perm, .acp-question') === null &&
      ((active.contains(card) && cellOf(active) === cellOf(card)) ||
        active.closest('.acp')?.contains(card) === true))
  );
}

/** In a notebook the focus takes the active cell along: the next Shift+Enter would run another. */
function cellOf(element: Element): Element | null {
  return element.closest('.jp-Cell');
}
