import { isTextField } from '../parts/keyboard';

/** Time during which keys do not answer a request that has just appeared. */
const GUARD_MILLISECONDS = 400;

const appeared = new WeakMap<Element, number>();

/** Keys 1 to 9 choose an option of the focused request, else of the first; Escape leaves it. */
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
  // Handled even if too early, since it was meant for the view.
  return true;
}

/** Moves the focus to the composer; the request stays open. */
function toComposer(view: Element): boolean {
  const box = view.querySelector('textarea');
  box?.focus();
  return box !== null;
}

/** Notes when a request appeared. */
export function noteAppearance(card: Element): void {
  appeared.set(card, performance.now());
}

/**
 * Whether a request may take the focus: never from a text field or another part of the page.
 *
 * The focus goes to the group, since Enter must not press a button by accident.
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

/** The cell of an element: focusing another cell makes it active, and Shift+Enter would run it. */
function cellOf(element: Element): Element | null {
  return element.closest('.jp-Cell');
}
