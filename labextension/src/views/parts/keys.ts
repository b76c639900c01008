/** Handles a key pressed inside a view; true if it was taken. */
export type KeyHandler = (event: KeyboardEvent) => boolean;

const views = new Map<Element, KeyHandler>();

/**
 * Listens to keys inside a view, before the page's own shortcuts do.
 *
 * In a notebook the same single keys change cells; those that a view takes must
 * not reach them, and all others must.
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

/** Whether keys typed there are text. */
export function isTextField(element: Element | null): boolean {
  return (
    element instanceof HTMLTextAreaElement ||
    (element instanceof HTMLInputElement &&
      !['checkbox', 'radio', 'button'].includes(element.type)) ||
    (element instanceof HTMLElement &&
      (element.isContentEditable || element.closest('.cm-editor') !== null))
  );
}

function onKey(event: KeyboardEvent): void {
  const target = event.target instanceof Element ? event.target : null;
  const view = target?.closest('.acp') ?? null;
  const handler = view === null ? undefined : views.get(view);
  if (handler?.(event) === true) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}

/**
 * Keeps a control's keys from the page: Lumino looks at the element that has the focus, and at
 * its parents only until a shortcut fits. Without it "d d" on a radio button deletes the cell.
 */
export const OWN_KEYS = { 'data-lm-suppress-shortcuts': 'true' } as const;
