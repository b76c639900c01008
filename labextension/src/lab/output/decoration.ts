import { Token } from '@lumino/coreutils';

import type { SessionStore } from '../../state/store';

/** Something that an output shows with its turn, such as tabs above it. */
export interface Decoration {
  /** Sets the turn that the output shows. */
  show(store: SessionStore, turnId: string): void;
  /** The output is in the page, again or for the first time. */
  attach(): void;
  dispose(): void;
}

/** Makes the decoration of an output; its turn is drawn in `body`, which is in `node`. */
export type Decorate = (node: HTMLElement, body: HTMLElement) => Decoration;

export interface IAcpTurnOutputs {
  /** Decorates all outputs with turns that are made from now on. */
  decorate(make: Decorate): void;
}

export const IAcpTurnOutputs = new Token<IAcpTurnOutputs>(
  'acp-jupyter:IAcpTurnOutputs',
  'The cell outputs that show turns of agents.',
);
