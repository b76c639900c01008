import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import { messageOf } from '../parts/buttons';

/** How long a deletion can be undone before it is sent. */
const UNDO_MILLISECONDS = 8_000;

/** Sessions that the user has deleted; only after a while it is meant. */
export class Trash {
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  /** Sent, and perhaps still in the list. */
  readonly #sent = new Set<string>();

  constructor(
    private readonly remove: (sessionId: string) => Promise<void>,
    private readonly onChange: () => void,
    private readonly onFailure: (message: string) => void,
  ) {}

  /** Whether it can still be undone. */
  holds(sessionId: string): boolean {
    return this.#timers.has(sessionId);
  }

  /** Whether its deletion is under way, or done. */
  hasSent(sessionId: string): boolean {
    return this.#sent.has(sessionId);
  }

  put(sessionId: string): void {
    if (!this.#timers.has(sessionId)) {
      this.#timers.set(
        sessionId,
        setTimeout(() => this.#send(sessionId), UNDO_MILLISECONDS),
      );
      this.onChange();
    }
  }

  takeBack(sessionId: string): void {
    const timer = this.#timers.get(sessionId);
    if (timer !== undefined) {
      clearTimeout(timer);
      this.#timers.delete(sessionId);
      this.onChange();
    }
  }

  /** Sends what waits; nobody could undo it any more. */
  empty(): void {
    for (const sessionId of [...this.#timers.keys()]) {
      this.#send(sessionId);
    }
  }

  #send(sessionId: string): void {
    clearTimeout(this.#timers.get(sessionId));
    this.#timers.delete(sessionId);
    this.#sent.add(sessionId);
    this.onChange();
    this.remove(sessionId).catch((error: unknown) => {
      this.#sent.delete(sessionId);
      this.onFailure(messageOf(error));
      this.onChange();
    });
  }
}

/** The trash of a view; it is emptied when the view or the page goes away. */
export function useTrash(
  remove: ((sessionId: string) => Promise<void>) | undefined,
  onFailure: (message: string) => void,
): Trash {
  const [, setTick] = useState(0);
  const how = useRef({ remove, onFailure });
  how.current = { remove, onFailure };
  const trash = useMemo(
    () =>
      new Trash(
        async sessionId => how.current.remove?.(sessionId),
        () => setTick(tick => tick + 1),
        message => how.current.onFailure(message),
      ),
    [],
  );
  useLayoutEffect(() => {
    const empty = () => trash.empty();
    window.addEventListener('pagehide', empty);
    return () => {
      window.removeEventListener('pagehide', empty);
      empty();
    };
  }, [trash]);
  return trash;
}
