/** Listeners of one kind of event. */
export class Listeners<T> {
  readonly #all = new Set<(value: T) => void>();

  /** Returns a function that removes the listener. */
  add(listener: (value: T) => void): () => void {
    this.#all.add(listener);
    return () => {
      this.#all.delete(listener);
    };
  }

  emit(value: T): void {
    for (const listener of [...this.#all]) {
      try {
        listener(value);
      } catch (error) {
        // A listener that throws must not keep the others from being called; it is still reported.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
