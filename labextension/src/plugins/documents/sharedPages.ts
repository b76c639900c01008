import type { DocumentRegistry } from '@jupyterlab/docregistry';

import { isRecord } from '../../wire/read';

/** What is needed of a change of a shared document. */
export interface Transaction {
  readonly local: boolean;
  readonly beforeState: ReadonlyMap<number, number>;
  readonly afterState: ReadonlyMap<number, number>;
}

/** A document that pages of several people hold, by jupyter-collaboration. */
export interface Shared {
  readonly ydoc: {
    readonly clientID: number;
    on(name: string, deed: (transaction: Transaction) => void): void;
    off(name: string, deed: (transaction: Transaction) => void): void;
  };
  readonly awareness: { getStates(): ReadonlyMap<number, unknown> };
}

/** The shared document of a model; `null` where it is this page's alone. */
export function sharedOf({
  collaborative,
  sharedModel,
}: Pick<DocumentRegistry.IModel, 'collaborative' | 'sharedModel'>): Shared | null {
  return collaborative === true && isShared(sharedModel) ? sharedModel : null;
}

/** The pages that hold it, as far as this one knows; not the server. */
export function peopleOf({ awareness }: Shared): number[] {
  return [...awareness.getStates()]
    .filter(([, state]) => isRecord(state) && isRecord(state['user']))
    .map(([id]) => id);
}

/**
 * Which page does what only one has to do: 0 at once, the others later, if it is not done.
 *
 * A page that has just come does not know the others, so one that is alone is never the first.
 */
export function orderOf(shared: Shared): number {
  const people = peopleOf(shared).sort((one, other) => one - other);
  const place = people.indexOf(shared.ydoc.clientID);
  return place === 0 && people.length > 1 ? 0 : place + 1;
}

function isShared(shared: object): shared is Shared {
  return 'ydoc' in shared && 'awareness' in shared;
}
