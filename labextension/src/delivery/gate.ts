/** Lets so many run at once; the others wait their turn. */
export class Limiter {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<T>(act: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limit) {
      await new Promise<void>(resolve => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    try {
      return await act();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) {
        this.#running -= 1;
      } else {
        next(); // it takes over this place
      }
    }
  }
}
