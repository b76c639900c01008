import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { Contents } from '@jupyterlab/services';

import { Failure } from '../../delivery/failure';
import { isRecord } from '../../wire/read';
import { changedOnDisk } from './disk';
import type { Conflict, MergedContent } from './merge/merged_content';

/** The part of a Yjs transaction that is used here. */
export interface Transaction {
  readonly local: boolean;
  readonly beforeState: ReadonlyMap<number, number>;
  readonly afterState: ReadonlyMap<number, number>;
}

/** A document that jupyter-collaboration shares between several pages. */
export interface Shared {
  readonly ydoc: {
    readonly clientID: number;
    on(name: string, listener: (transaction: Transaction) => void): void;
    off(name: string, listener: (transaction: Transaction) => void): void;
  };
  readonly awareness: { getStates(): ReadonlyMap<number, unknown> };
}

/** The shared document of a model; `null` if it is not shared. */
export function sharedOf({
  collaborative,
  sharedModel,
}: Pick<DocumentRegistry.IModel, 'collaborative' | 'sharedModel'>): Shared | null {
  return collaborative === true && isShared(sharedModel) ? sharedModel : null;
}

/** Client ids of the pages that have it open, as far as this page knows; without the server. */
export function peopleOf({ awareness }: Shared): number[] {
  return [...awareness.getStates()]
    .filter(([, state]) => isRecord(state) && isRecord(state['user']))
    .map(([id]) => id);
}

/**
 * This page's rank for work that only one page has to do: rank 0 does it, the others do it later if
 * it is still undone.
 *
 * A page that has just opened doesn't know the others yet, so a lone page never has rank 0.
 */
export function orderOf(shared: Shared): number {
  const people = peopleOf(shared).sort((one, other) => one - other);
  const index = people.indexOf(shared.ydoc.clientID);
  return index === 0 && people.length > 1 ? 0 : index + 1;
}

function isShared(shared: object): shared is Shared {
  return 'ydoc' in shared && 'awareness' in shared;
}

type Context = DocumentRegistry.IContext<DocumentRegistry.IModel>;

/** The content provider by which jupyter-collaboration saves. */
const CONTENT_PROVIDER = 'rtc';

/** Longest wait for a save by the server that is running, or waits for a pause in typing. */
const SAVE_MS = 3_000;

/** Has the server save a shared document now, without asking the user. */
export async function saveShared(context: Context, contents: Contents.IManager): Promise<void> {
  const kind =
    'cells' in context.model
      ? ({ type: 'notebook', format: 'json' } as const)
      : ({ type: 'file', format: 'text' } as const);
  try {
    await contents.save(context.path, { ...kind, contentProviderId: CONTENT_PROVIDER });
  } catch {
    await untilClean(context);
  }
}

/** Updates JupyterLab's record of the file, so that the next save does not ask; loads nothing. */
export async function noteFile(context: Context, contents: Contents.IManager): Promise<void> {
  if ((await changedOnDisk(context, contents)) === true && !context.isDisposed) {
    await context.revert();
  }
}

function untilClean({ model }: Context): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      if (model.isDisposed || !model.dirty) {
        model.stateChanged.disconnect(settle);
        clearTimeout(timer);
        resolve();
      }
    };
    const timer = setTimeout(() => {
      model.stateChanged.disconnect(settle);
      reject(new Failure('It was changed, and is not saved yet.', 'not_saved'));
    }, SAVE_MS);
    model.stateChanged.connect(settle);
    settle();
  });
}

/**
 * How long a document is watched: the server checks files once a second, possibly after the turn.
 */
const WATCHED_MS = 10_000;

/** How long each page waits for the page before it to restore. */
const PATIENCE_MS = 300;

type CapturedContent = Pick<MergedContent, 'capture'>;

/**
 * Restores content that is lost when the server loads a file over a shared document.
 *
 * One of the pages with the document restores the text typed since the last save, and outputs that
 * an agent left out.
 */
export class LostChanges {
  readonly #shared: Shared;
  readonly #merged: CapturedContent;
  readonly #tell: (conflicts: readonly Conflict[]) => void;
  #captured: ReturnType<CapturedContent['capture']> | null = null;
  #disposed = false;
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

  /** Watches the document for a while, because an agent is working. */
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
    this.#disposed = true;
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
    // Later pages find it restored.
    setTimeout(
      () => {
        const conflicts = this.#disposed ? [] : restore();
        if (conflicts.length > 0) {
          this.#tell(conflicts);
        }
      },
      orderOf(this.#shared) * PATIENCE_MS,
    );
  };

  /** Whether the server made the change, and none of the pages. */
  #isServers({ beforeState, afterState }: Transaction): boolean {
    const people = new Set(peopleOf(this.#shared));
    return [...afterState].some(
      ([author, count]) => count > (beforeState.get(author) ?? 0) && !people.has(author),
    );
  }
}
