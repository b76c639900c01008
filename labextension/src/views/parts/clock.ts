const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;

/** Calls each second; all views of a page share one timer. */
export function onSecond(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    [...listeners].forEach(each => each());
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
  };
}
