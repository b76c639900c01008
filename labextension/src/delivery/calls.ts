import type { ReplyFrame } from '../wire/types';
import { connectionLost, Failure, noAnswer } from './failure';

interface Call {
  readonly resolve: (result: unknown) => void;
  readonly reject: (failure: Failure) => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** Commands that were sent and have no reply yet. */
export class Calls {
  readonly #open = new Map<number, Call>();
  // Pages that share a comm see each other's replies, so their ids must differ.
  #next = Math.floor(Math.random() * 2 ** 40);

  /** Registers a command; `send` gets its id. */
  make(seconds: number, send: (id: number) => void): Promise<unknown> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#open.delete(id);
        reject(noAnswer(seconds));
      }, seconds * 1000);
      this.#open.set(id, { resolve, reject, timer });
      send(id);
    });
  }

  settle({ id, result, error }: ReplyFrame): void {
    const call = this.#open.get(id);
    if (call === undefined) {
      return;
    }
    this.#open.delete(id);
    clearTimeout(call.timer);
    if (error === null) {
      call.resolve(result);
    } else {
      call.reject(Failure.of(error));
    }
  }

  /** Rejects all pending calls: their replies were lost with the connection. */
  abandon(): void {
    for (const call of this.#open.values()) {
      clearTimeout(call.timer);
      call.reject(connectionLost());
    }
    this.#open.clear();
  }
}
/** Runs at most `limit` tasks at once; the others wait. */
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
        next(); // the next task takes this slot
      }
    }
  }
}
