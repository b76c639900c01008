import { fireEvent, waitFor, within } from '@testing-library/preact';
import type { BoundFunctions, queries } from '@testing-library/preact';
import { afterEach, expect } from 'vitest';

import { SessionStore } from '../../src/state/store';
import { mountTurn } from '../../src/views';
import type { Actions } from '../../src/views';
import type { Item, SessionState, TurnState } from '../../src/wire/types';
import { session, SESSION, turn } from './build';
import { snapshot } from './events';

/** A turn on the page. */
export interface Drawn {
  readonly element: HTMLElement;
  readonly store: SessionStore;
  readonly view: BoundFunctions<typeof queries>;
  /** A tool's card by its accessible name. */
  readonly card: (name: string | RegExp) => HTMLElement;
}

interface DrawOptions {
  readonly turn?: TurnState;
  readonly session?: SessionState;
  /** Who looks at it, among several people. */
  readonly viewer?: string;
  /** `null` draws it without controls. */
  readonly actions?: Partial<Actions> | null;
}

export const DONE = turn({
  status: 'done',
  stop_reason: 'end_turn',
  started_at: 0,
  ended_at: 64,
});

const drawn: (() => void)[] = [];

afterEach(() => {
  drawn.splice(0).forEach(dispose => dispose());
  document.body.replaceChildren();
});

/** Draws a running turn of these items, or the given turn; taken away after the test. */
export function draw(items: readonly Item[], options: DrawOptions = {}): Drawn {
  const store = new SessionStore(SESSION);
  store.viewer = options.viewer ?? '';
  const state = options.turn ?? turn();
  store.apply([snapshot(items, [state], options.session ?? session())]);
  return drawnOf(store, state.turn_id, options.actions === undefined ? {} : options.actions);
}

/** A turn of a store on the page; `null` for actions draws it without controls. */
export function drawnOf(store: SessionStore, turnId: string, over: Partial<Actions> | null): Drawn {
  const element = document.createElement('div');
  document.body.append(element);
  const actions: Actions | null = over && {
    answerPermission: () => Promise.resolve(),
    cancel: () => Promise.resolve(),
    ...over,
  };
  const mounted = mountTurn(element, { store, turnId, host: 'cell', actions });
  drawn.push(() => mounted.dispose());
  const view = within(element);
  return { element, store, view, card: name => view.getByRole('group', { name }) };
}

/** The words of an element as they are read, without doubled spaces. */
export function words(element: Element | null | undefined): string {
  return (element?.textContent ?? '').replace(/\s+/g, ' ').trim();
}

/** A card whose line was clicked. */
export async function openedCard({ card }: Drawn, name: RegExp): Promise<HTMLElement> {
  const found = card(name);
  fireEvent.click(within(found).getByRole('button', { expanded: false }));
  await waitFor(() => expect(found.querySelector('.acp-body')).not.toBeNull());
  return found;
}
