import type { DocumentRegistry } from '@jupyterlab/docregistry';

import { isRecord } from '../../wire/read';
import type { Merged } from './merged';
import type { Conflict } from './openDocument';

/** A file is looked at once a second by the server; an agent's turn may be over by then. */
const WATCHED_MS = 10_000;

/** What is needed of a change of a shared document. */
export interface Transaction {
  readonly local: boolean;
  readonly beforeState: ReadonlyMap<number, number>;
  readonly afterState: ReadonlyMap<number, number>;
}

type Content = Pick<Merged, 'capture' | 'noteLoaded'>;

interface Shared {
  readonly ydoc: {
    readonly clientID: number;
    on(name: string, deed: (transaction: Transaction) => void): void;
    off(name: string, deed: (transaction: Transaction) => void): void;
  };
  readonly awareness: { getStates(): ReadonlyMap<number, unknown> };
}

/**
 * Brings back what is lost when the server loads a file over a shared document.
 *
 * What was typed since the last save, and the outputs that an agent left out, are put back by one
 * of the pages that hold the document.
 */
export class Overwriting {
  readonly #shared: Shared;
  readonly #merged: Content;
  readonly #tell: (conflicts: readonly Conflict[]) => void;
  #restore: (() => readonly Conflict[]) | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(shared: Shared, merged: Content, tell: (conflicts: readonly Conflict[]) => void) {
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
    this.#timer = setTimeout(() => this.dispose(), WATCHED_MS);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#shared.ydoc.off('beforeTransaction', this.#begin);
    this.#shared.ydoc.off('afterTransaction', this.#end);
  }

  readonly #begin = ({ local }: Transaction): void => {
    if (!local) {
      this.#restore = this.#merged.capture();
    }
  };

  readonly #end = (transaction: Transaction): void => {
    const restore = this.#restore;
    this.#restore = null;
    if (restore === null || transaction.local || !this.#isServers(transaction)) {
      return;
    }
    // It is not over yet for those who hear of it after this.
    queueMicrotask(() => {
      if (!this.#isMine()) {
        this.#merged.noteLoaded();
        return;
      }
      const conflicts = restore();
      if (conflicts.length > 0) {
        this.#tell(conflicts);
      }
    });
  };

  /** Whether it was made by nobody who is here. */
  #isServers({ beforeState, afterState }: Transaction): boolean {
    const people = new Set(this.#people());
    return [...afterState].some(
      ([author, count]) => count > (beforeState.get(author) ?? 0) && !people.has(author),
    );
  }

  /** One page does it. */
  #isMine(): boolean {
    return Math.min(...this.#people()) === this.#shared.ydoc.clientID;
  }

  #people(): number[] {
    return [...this.#shared.awareness.getStates()]
      .filter(([, state]) => isRecord(state) && isRecord(state['user']))
      .map(([id]) => id);
  }
}

/** The shared document of a model; `null` where it is this page's alone. */
export function sharedOf({ collaborative, sharedModel }: DocumentRegistry.IModel): Shared | null {
  return collaborative === true && isShared(sharedModel) ? sharedModel : null;
}

function isShared(shared: object): shared is Shared {
  return 'ydoc' in shared && 'awareness' in shared;
}
