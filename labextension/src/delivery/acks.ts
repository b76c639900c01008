/** Longest wait for a frame, since a hidden page draws none. */
const LONGEST_MS = 200;

/** Acknowledges what was drawn: the newest sequence number of each session, once per frame. */
export class Acks {
  readonly #due = new Map<string, number>();
  readonly #send: (sessionId: string, seq: number) => void;
  #planned = false;

  constructor(send: (sessionId: string, seq: number) => void) {
    this.#send = send;
  }

  /** Notes that `seq` is in the store and will be drawn with the next frame. */
  add(sessionId: string, seq: number): void {
    this.#due.set(sessionId, seq);
    if (this.#planned) {
      return;
    }
    this.#planned = true;
    const timer = setTimeout(() => this.#flush(), LONGEST_MS);
    // The second frame begins once the first has been painted.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        clearTimeout(timer);
        this.#flush();
      }),
    );
  }

  clear(): void {
    this.#due.clear();
  }

  #flush(): void {
    if (!this.#planned) {
      return; // late frame of a page that was hidden
    }
    this.#planned = false;
    const due = [...this.#due];
    this.#due.clear();
    for (const [sessionId, seq] of due) {
      this.#send(sessionId, seq);
    }
  }
}
