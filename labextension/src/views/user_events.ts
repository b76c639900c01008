import { isTrusted } from './trusted';

/** The element that a user's key is pressing. */
let pressed: EventTarget | null = null;

/** Whether a user caused an event, and not a script in the page, such as in an output. */
export function isUserEvent(event: Event): boolean {
  return isTrusted(event) || (pressed !== null && event.target === pressed);
}

/** Clicks on an element for a user who pressed a key or another button. */
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

/** The user sees what a script fills in before sending it, so these events are enough. */
const PRESSES = ['click', 'keydown'] as const;

/** Keeps events that no user has caused from a view. */
export function blockScriptEvents(view: HTMLElement): () => void {
  const onPress = (event: Event) => {
    if (!isUserEvent(event)) {
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
