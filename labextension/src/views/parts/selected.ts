/** Asking for the selection lays the whole page out, so it is asked when it changes only. */
let some = isSome();
document.addEventListener('selectionchange', () => (some = isSome()));

function isSome(): boolean {
  return document.getSelection()?.isCollapsed === false;
}

/** Whether the user has selected something of an element: it must stay as it is. */
export function holdsSelection(element: Element): boolean {
  return some && document.getSelection()?.containsNode(element, true) === true;
}
