import type { MergedContent } from './merged';
import type { Conflict } from './openDocument';
import { peopleOf, orderOf } from './sharedPages';
import type { Shared, Transaction } from './sharedPages';

/** A file is looked at once a second by the server; an agent's turn may be over by then. */
const WATCHED_MS = 10_000;
/** The next page looks after so long whether it was done. */
const PATIENCE_MS = 300;

type CapturedContent = Pick<MergedContent, 'capture'>;

/**
 * Brings back what is lost when the server loads a file over a shared document.
 *
 * What was typed since the last save, and the outputs that an agent left out, are put back by one
 * of the pages that hold the document.
 */
export class LostChanges {
  readonly #shared: Shared;
  readonly #merged: CapturedContent;
  readonly #tell: (conflicts: readonly Conflict[]) => void;
  #captured: ReturnType<CapturedContent['capture']> | null = null;
  #gone = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    shared: Shared,
    merged: CapturedContent,
    tell: (conflicts: readonly Conflict[]) => void,
  ) {
    this.#shared = shared;
    this.#merged = merged;
    this.#tell = tell;
  }

  /** An agent is at work: look after the document for a while. */
  watch(): void {
    const { ydoc } = this.#shared;
    if (this.#timer === undefined) {
      ydoc.on('beforeTransaction', this.#begin);
      ydoc.on('afterTransaction', this.#end);
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#rest(), WATCHED_MS);
  }

  dispose(): void {
    this.#gone = true;
    this.#rest();
  }

  #rest(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#shared.ydoc.off('beforeTransaction', this.#begin);
    this.#shared.ydoc.off('afterTransaction', this.#end);
  }

  readonly #begin = ({ local }: Transaction): void => {
    if (!local) {
      this.#captured = this.#merged.capture();
    }
  };

  readonly #end = (transaction: Transaction): void => {
    const captured = this.#captured;
    this.#captured = null;
    if (captured === null || transaction.local || !this.#isServers(transaction)) {
      return;
    }
    const restore = captured();
    if (restore === null) {
      return;
    }
    // Whoever comes later finds nothing left to do.
    setTimeout(
      () => {
        const conflicts = this.#gone ? [] : restore();
        if (conflicts.length > 0) {
          this.#tell(conflicts);
        }
      },
      orderOf(this.#shared) * PATIENCE_MS,
    );
  };

  /** Whether it was made by nobody who is here. */
  #isServers({ beforeState, afterState }: Transaction): boolean {
    const people = new Set(peopleOf(this.#shared));
    return [...afterState].some(
      ([author, count]) => count > (beforeState.get(author) ?? 0) && !people.has(author),
    );
  }
}
