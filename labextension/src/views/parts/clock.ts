const secondListeners = new Set<() => void>();
let secondTimer: ReturnType<typeof setInterval> | null = null;

/** Calls each second; all views of a page share one timer. */
export function onSecond(listener: () => void): () => void {
  secondListeners.add(listener);
  secondTimer ??= setInterval(() => {
    [...secondListeners].forEach(each => each());
  }, 1000);
  return () => {
    secondListeners.delete(listener);
    if (secondListeners.size === 0 && secondTimer !== null) {
      clearInterval(secondTimer);
      secondTimer = null;
    }
  };
}
