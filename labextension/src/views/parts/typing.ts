/** So long after a key somebody is still typing. */
const TYPING_MILLISECONDS = 500;

let pressed = -Infinity;
addEventListener('keydown', () => (pressed = performance.now()), { capture: true, passive: true });

/** Whether somebody types, anywhere in the page: then their letters come first. */
export function isTyping(now: number): boolean {
  return now - pressed < TYPING_MILLISECONDS;
}
