/** An open list of completions above a text box, which keeps the focus. */
export interface OpenList {
  readonly length: number;
  readonly active: number;
  readonly go: (index: number) => void;
  readonly take: (index: number) => void;
  readonly close: () => void;
}

/** Handles the keys of an open list; returns whether the key was handled. */
export function listKeys(event: KeyboardEvent, list: OpenList): boolean {
  if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) {
    return false;
  }
  const { length, active, go, take, close } = list;
  switch (event.key) {
    case 'ArrowDown':
      go((active + 1) % length);
      break;
    case 'ArrowUp':
      go((active + length - 1) % length);
      break;
    case 'Home':
      go(0);
      break;
    case 'End':
      go(length - 1);
      break;
    case 'Enter':
    case 'Tab':
      take(active);
      break;
    case 'Escape':
      close();
      break;
    default:
      return false;
  }
  event.preventDefault();
  event.stopPropagation();
  return true;
}

/** ARIA attributes of the text box while the list is open. */
export function listAria(id: string, active: number) {
  return {
    'aria-autocomplete': 'list',
    'aria-haspopup': 'listbox',
    'aria-controls': id,
    'aria-activedescendant': `${id}-${active}`,
  } as const;
}
