/**
 * Which page writes a turn into the file, when several hold the notebook.
 *
 * The page that executes the cell goes first: it takes the turn's locks when it
 * learns of the turn and gives each back once it has saved. The other pages of
 * the browser wait for that, find the file changed, and load it. Where a page
 * has no lock manager (plain http to another machine) nobody waits.
 */

/** The two moments at which a document is saved for a turn. */
export type Moment = 'shown' | 'final';

/** Longest wait for the page that goes first. */
const PATIENCE_MS = 5_000;

/** At a turn's begin the page that goes first needs time to say so. */
const COURTESY_MS = 300;

function lockName(turnId: string, moment: Moment): string {
  return `acp-jupyter:${moment}:${turnId}`;
}

function lockManager(): LockManager | null {
  return 'locks' in navigator ? navigator.locks : null;
}

/** The turns that this page executes. */
export class ExecutedTurns {
  readonly #releases = new Map<string, () => void>();

  /** This page executes the turn's cell. */
  claim(turnId: string): void {
    this.#take(lockName(turnId, 'shown'));
    this.#take(lockName(turnId, 'final'));
  }

  has(turnId: string): boolean {
    return this.#releases.has(lockName(turnId, 'final'));
  }

  /** The document holds the turn so far: now the others. */
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

/** Runs `act` after the page that goes first, one page at a time. */
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
