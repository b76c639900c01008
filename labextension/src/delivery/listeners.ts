/** Who wants to know of something. */
export class Listeners<T> {
  readonly #all = new Set<(value: T) => void>();

  /** Returns the way to stop listening. */
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
        // One that fails must not keep the others from hearing; it is still reported.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
