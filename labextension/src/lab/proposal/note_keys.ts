import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

import { isTextField, listenToKeys, targetOf } from '../../views/parts/keyboard';
import type { KeyHandler } from '../../views/parts/keyboard';

/**
 * Listens to the keys of a note under a cell.
 *
 * @param inCommandMode - Whether they count in its notebook's command mode, too, while it is in
 *   view or its cell is active.
 */
export function useNoteKeys(
  root: RefObject<HTMLElement | null>,
  inCommandMode: boolean,
  press: KeyHandler,
): void {
  useLayoutEffect(() => {
    const view = root.current?.closest('.acp') ?? null;
    return view === null
      ? undefined
      : listenToKeys(view, event => !leaves(root, event) && press(event));
  });
  useLayoutEffect(() => {
    if (!inCommandMode) {
      return undefined;
    }
    const listen = (event: KeyboardEvent) => {
      const isMeant = isAtHand(root.current, targetOf(event)) && !event.shiftKey;
      if (isMeant && press(event)) {
        event.preventDefault();
        event.stopImmediatePropagation();
      }
    };
    window.addEventListener('keydown', listen, { capture: true });
    return () => window.removeEventListener('keydown', listen, { capture: true });
  });
}

/** Whether Tab goes from one button of the note to the next. */
function leaves(root: RefObject<HTMLElement | null>, event: KeyboardEvent): boolean {
  return event.key === 'Tab' && (event.shiftKey || targetOf(event) !== root.current);
}

/** Whether the notebook's keys are for a note in it; a note that isn't visible takes none. */
function isAtHand(note: Element | null, target: Element | null): boolean {
  const notebook = note?.closest('.jp-Notebook') ?? null;
  return (
    note !== null &&
    notebook !== null &&
    isIdle(notebook, target) &&
    (note.closest('.jp-Cell.jp-mod-active') !== null || isInView(note, notebook))
  );
}

function isInView(note: Element, notebook: Element): boolean {
  const scroller = note.closest('.jp-WindowedPanel-outer') ?? notebook;
  const area = scroller.getBoundingClientRect();
  const { top, bottom } = note.getBoundingClientRect();
  return top < area.bottom && bottom > area.top;
}

/** Whether keys are for the notebook: it is in command mode, and no control has the focus. */
function isIdle(notebook: Element, target: Element | null): boolean {
  return (
    target !== null &&
    notebook.contains(target) &&
    notebook.classList.contains('jp-mod-commandMode') &&
    !isTextField(target) &&
    target.closest('.acp, a, button, select, [role=button]') === null
  );
}
