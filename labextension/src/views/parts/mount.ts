import { render } from 'preact';
import type { VNode } from 'preact';

import { blockScriptEvents } from '../user_events';
import type { Mounted } from '../props';
import { injectSprite } from './icons';
import { focusedElement } from './keyboard';

/** Draws a view into an element, keeps the focus in it, and ignores events of scripts. */
export function mounted<Props>(
  element: HTMLElement,
  props: Props,
  draw: (props: Props) => VNode,
): Mounted<Props> {
  injectSprite();
  const letFocus = keepFocus(element);
  const heedAll = blockScriptEvents(element);
  const update = (next: Props) => render(draw(next), element);
  update(props);
  const dispose = () => {
    letFocus();
    heedAll();
    render(null, element);
  };
  return { update, dispose };
}
const FOCUSABLE = ['button', 'summary', 'input', 'select', 'textarea', 'a[href]', '[tabindex]']
  .map(each => `${each}:not([tabindex="-1"], [hidden])`)
  .join();

/** The element that had the focus, and the focusable ones before it, nearest first. */
interface LastFocus {
  readonly element: HTMLElement;
  readonly parents: readonly Element[];
  readonly before: readonly HTMLElement[];
}

/**
 * Keeps the focus in a view when the focused element is removed or disabled.
 *
 * A pressed button is often replaced by another, and an answered card by its line: the replacement
 * gets the focus. Observes the view only while the focus is inside.
 */
export function keepFocus(view: HTMLElement): () => void {
  let focused: LastFocus | null = null;
  const observer = new MutationObserver(() => {
    if (focused !== null && isGone(focused.element)) {
      const active = focusedElement();
      const lost = focused;
      forget();
      // If something else already has the focus, it keeps the focus.
      if (active === null || active === document.body || active === lost.element) {
        const before = origin;
        successor(view, lost)?.focus({ preventScroll: true });
        // From one request to the next, the origin stays the same.
        origin = before;
      }
    }
  });
  const forget = () => {
    focused = null;
    observer.disconnect();
  };
  const onFocusIn = ({ target, relatedTarget }: FocusEvent) => {
    if (target instanceof HTMLElement) {
      noteOrigin(target, relatedTarget, focused?.element ?? null);
      focused = lastFocusOf(view, target);
      observer.observe(view, { childList: true, subtree: true, attributeFilter: ['disabled'] });
    }
  };
  // Removing an element causes the same event as leaving it.
  const onFocusOut = ({ target }: FocusEvent) => {
    setTimeout(() => {
      if (focused?.element === target && focusedElement() !== target) {
        forget();
      }
    });
  };
  view.addEventListener('focusin', onFocusIn);
  view.addEventListener('focusout', onFocusOut);
  return () => {
    forget();
    view.removeEventListener('focusin', onFocusIn);
    view.removeEventListener('focusout', onFocusOut);
  };
}

function lastFocusOf(view: HTMLElement, element: HTMLElement): LastFocus {
  const parents: Element[] = [];
  let parent = element.parentElement;
  while (parent !== null && view.contains(parent)) {
    parents.push(parent);
    parent = parent.parentElement;
  }
  const all = focusableIn(view);
  return { element, parents, before: all.slice(0, Math.max(0, all.indexOf(element))).reverse() };
}

/** The element to focus instead: the one after the nearest earlier element that still exists. */
function successor(view: HTMLElement, { element, parents, before }: LastFocus) {
  // If its buttons are disabled, the card gets the focus itself.
  const card = element.isConnected ? parents.find(each => each.matches('[tabindex="-1"]')) : null;
  if (card instanceof HTMLElement) {
    return card;
  }
  if (parents.some(each => each.matches(REQUEST))) {
    const next = view.querySelector<HTMLElement>('[data-request]') ?? originOf(view);
    if (next !== null) {
      return next;
    }
  }
  const last = before.find(each => view.contains(each));
  for (const parent of parents) {
    if (!view.contains(parent)) {
      continue;
    }
    // Its part of a long log is no longer mounted.
    const log = parent.parentElement;
    if (log instanceof HTMLElement && log.matches('.acp-log')) {
      return log;
    }
    const all = focusableIn(parent).filter(each => !isGone(each));
    const next = all[last === undefined ? 0 : all.indexOf(last) + 1] ?? all[all.length - 1];
    if (next !== undefined) {
      return next;
    }
  }
  return undefined;
}

const REQUEST = '.acp-request, .acp-question';

/** The element that had the focus before a key or a click moved it to a request. */
let origin: HTMLElement | null = null;

function noteOrigin(target: Element, from: EventTarget | null, last: Element | null): void {
  // Returning to the window's focused element doesn't count as a move.
  if (target === last || target.closest(REQUEST) === null) {
    return;
  }
  if (!(from instanceof HTMLElement)) {
    origin = null;
  } else if (from.closest(REQUEST) === null) {
    origin = from;
  }
}

/** Element to focus after the last request: the former one, else the message box or the cell. */
function originOf(view: Element): HTMLElement | null {
  if (origin?.isConnected === true && origin.offsetParent !== null) {
    return origin;
  }
  return (
    view.querySelector<HTMLElement>('.acp-compose textarea') ??
    view.closest('.jp-Notebook')?.querySelector<HTMLElement>('.jp-Cell.jp-mod-active') ??
    null
  );
}

/** Moves the focus from a request, which stays open; returns whether there was somewhere to go. */
export function leaveRequest(view: Element): boolean {
  const next = originOf(view);
  next?.focus({ preventScroll: true });
  return next !== null;
}

function focusableIn(element: Element): HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>(FOCUSABLE)];
}

function isGone(element: HTMLElement): boolean {
  return !element.isConnected || element.matches(':disabled');
}
