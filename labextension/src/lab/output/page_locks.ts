/**
 * Locks that decide which page saves a turn's output when several have the notebook open.
 *
 * The page that executes the cell goes first: it takes the turn's locks when it learns of the turn
 * and releases each once it has saved. The other pages of the browser wait for that, find the file
 * changed, and load it. A page without a lock manager (plain http to another machine) does not
 * wait.
 */

/** The two moments at which a document is saved for a turn. */
export type Moment = 'shown' | 'final';

/** Longest wait for the page that executes the cell. */
const PATIENCE_MS = 5_000;

/** Time that the executing page has at the start of a turn to take the locks. */
const COURTESY_MS = 300;

function lockName(turnId: string, moment: Moment): string {
  return `acp-jupyter:${moment}:${turnId}`;
}

function lockManager(): LockManager | null {
  return 'locks' in navigator ? navigator.locks : null;
}

/** The turns whose cells this page executes, with their locks. */
export class ExecutedTurns {
  readonly #releases = new Map<string, () => void>();

  /** Acquires the locks of a turn whose cell this page executes. */
  claim(turnId: string): void {
    this.#take(lockName(turnId, 'shown'));
    this.#take(lockName(turnId, 'final'));
  }

  has(turnId: string): boolean {
    return this.#releases.has(lockName(turnId, 'final'));
  }

  /** Releases a lock: the file holds the turn, and the other pages can load it. */
  release(turnId: string, moment: Moment): void {
    const name = lockName(turnId, moment);
    this.#releases.get(name)?.();
    this.#releases.delete(name);
  }

  dispose(): void {
    for (const release of this.#releases.values()) {
      release();
    }
    this.#releases.clear();
  }

  #take(name: string): void {
    const locks = lockManager();
    if (locks === null || this.#releases.has(name)) {
      this.#releases.set(name, this.#releases.get(name) ?? (() => undefined));
      return;
    }
    const held = new Promise<void>(resolve => this.#releases.set(name, resolve));
    void locks.request(name, () => held);
  }
}

/** Runs `act` after the executing page, one page at a time. */
export async function afterExecutor(
  turnId: string,
  moment: Moment,
  act: () => Promise<void>,
): Promise<void> {
  const locks = lockManager();
  if (locks === null) {
    return act();
  }
  if (moment === 'shown') {
    await new Promise(resolve => setTimeout(resolve, COURTESY_MS));
  }
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    await locks.request(lockName(turnId, moment), { signal }, act);
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'TimeoutError')) {
      throw error;
    }
    await act();
  }
}
