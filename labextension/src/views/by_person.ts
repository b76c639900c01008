import { isTrusted } from './trusted';

/** The element that a key of a person presses now. */
let pressed: EventTarget | null = null;

/** Whether an event is a person's; a script in the page, such as an output, makes others. */
export function isByPerson(event: Event): boolean {
  return isTrusted(event) || (pressed !== null && event.target === pressed);
}

/** Clicks on an element, for a person who pressed a key or another button. */
export function press(element: Element | null | undefined): void {
  if (!(element instanceof HTMLElement)) {
    return;
  }
  pressed = element;
  try {
    element.click();
  } finally {
    pressed = null;
  }
}

/** What a script fills in is seen before somebody sends it, so these are enough. */
const PRESSES = ['click', 'keydown'] as const;

/** Lets no event through to a view that a person has not caused. */
export function ignoreScripts(view: HTMLElement): () => void {
  const onPress = (event: Event) => {
    if (!isByPerson(event)) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  };
  for (const type of PRESSES) {
    view.addEventListener(type, onPress, { capture: true });
  }
  return () => {
    for (const type of PRESSES) {
      view.removeEventListener(type, onPress, { capture: true });
    }
  };
}
