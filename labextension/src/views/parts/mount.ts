import { render } from 'preact';
import type { VNode } from 'preact';

import type { Mounted } from '../props';
import { injectSprite } from './icons';

/** Draws into an element, in which the focus is kept. */
export function mounted<Props>(
  element: HTMLElement,
  props: Props,
  draw: (props: Props) => VNode,
): Mounted<Props> {
  injectSprite();
  const letFocus = keepFocus(element);
  const update = (next: Props) => render(draw(next), element);
  update(props);
  const dispose = () => {
    letFocus();
    render(null, element);
  };
  return { update, dispose };
}
const FOCUSABLE = ['button', 'summary', 'input', 'select', 'textarea', 'a[href]', '[tabindex]']
  .map(each => `${each}:not([tabindex="-1"], [hidden])`)
  .join();

/** What had the focus, and what stood before it, nearest first. */
interface LastFocus {
  readonly element: HTMLElement;
  readonly parents: readonly Element[];
  readonly before: readonly HTMLElement[];
}

/**
 * Keeps the focus in a view when what has it goes away or is disabled.
 *
 * A button that was pressed is often replaced by another, and a card that was answered by its
 * line: what stands there now takes the focus over. Watches only while the focus is inside.
 */
export function keepFocus(view: HTMLElement): () => void {
  let focused: LastFocus | null = null;
  const observer = new MutationObserver(() => {
    if (focused !== null && isGone(focused.element)) {
      const { activeElement: active } = document;
      const lost = focused;
      forget();
      // Whoever took it meanwhile knows better.
      if (active === null || active === document.body || active === lost.element) {
        successor(view, lost)?.focus({ preventScroll: true });
      }
    }
  });
  const forget = () => {
    focused = null;
    observer.disconnect();
  };
  const onFocusIn = ({ target }: FocusEvent) => {
    if (target instanceof HTMLElement) {
      focused = lastFocusOf(view, target);
      observer.observe(view, { childList: true, subtree: true, attributeFilter: ['disabled'] });
    }
  };
  // An element that is taken away loses the focus as one that is left does.
  const onFocusOut = ({ target }: FocusEvent) => {
    setTimeout(() => {
      if (focused?.element === target && document.activeElement !== target) {
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

/** What follows the nearest thing before it that is still there, as near to its place as can be. */
function successor(view: HTMLElement, { element, parents, before }: LastFocus) {
  // A card whose buttons wait for an answer keeps the focus itself.
  const card = element.isConnected ? parents.find(each => each.matches('[tabindex="-1"]')) : null;
  if (card instanceof HTMLElement) {
    return card;
  }
  const last = before.find(each => view.contains(each));
  for (const parent of parents) {
    if (!view.contains(parent)) {
      continue;
    }
    // Of a long log the part in which it stood is not mounted any more.
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

function focusableIn(element: Element): HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>(FOCUSABLE)];
}

function isGone(element: HTMLElement): boolean {
  return !element.isConnected || element.matches(':disabled');
}
