import { isTextField } from '../parts/keys';

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
