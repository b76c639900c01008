import { fireEvent, waitFor, within } from '@testing-library/preact';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { session, SESSION, turn, TURN } from '../../../tests/support/build';
import { snapshot } from '../../../tests/support/events';
import { showPanel } from '../../../tests/support/panel';
import { SessionStore } from '../../state/store';
import type { SessionState, TurnState } from '../../wire/types';
import type { Actions } from '../actions';
import { mountTurn } from '../turn/turn_view';

const ALLOWED = { policy: 'allow-all' } as const;

const DONE = { ...ALLOWED, status: 'done', stop_reason: 'end_turn', ended_at: 9 } as const;

afterEach(() => document.body.replaceChildren());

function storeWith(
  turnOver: Partial<TurnState>,
  sessionOver: Partial<SessionState> = {},
): SessionStore {
  const store = new SessionStore(SESSION);
  store.apply([snapshot([], [turn(turnOver)], session(sessionOver))]);
  return store;
}

function showTurn(store: SessionStore, actions: Partial<Actions> | null): HTMLElement {
  const element = document.createElement('div');
  document.body.append(element);
  const needed: Actions = {
    answerPermission: () => Promise.resolve(),
    cancel: () => Promise.resolve(),
  };
  const given = actions === null ? null : { ...needed, ...actions };
  mountTurn(element, { store, turnId: TURN, host: 'cell', actions: given });
  return element;
}

describe('that everything is allowed', () => {
  it('stands in the first line as a button that goes back to asking', () => {
    const setConfig = vi.fn(() => Promise.resolve());
    const element = showTurn(storeWith(ALLOWED), { setConfig });
    const button = within(element).getByRole('button', { name: 'Allow-all: ask again' });
    fireEvent.click(button);
    expect(setConfig).toHaveBeenCalledWith(SESSION, { policy: 'ask' });
  });

  it('says what failed', async () => {
    const setConfig = () => Promise.reject(new Error('Not now.'));
    const element = showTurn(storeWith(ALLOWED), { setConfig });
    fireEvent.click(within(element).getByRole('button', { name: 'Allow-all: ask again' }));
    await waitFor(() => expect(element.textContent).toContain('Not now.'));
  });

  it('stays as long as it is in force', () => {
    const setConfig = () => Promise.resolve();
    const over = showTurn(storeWith(DONE), { setConfig });
    expect(over.querySelector('.acp-head .badge')).toBeNull();
    const goesOn = showTurn(storeWith(DONE, ALLOWED), { setConfig });
    expect(goesOn.querySelector('.acp-head button.badge')).toBeTruthy();
    const saved = showTurn(storeWith(ALLOWED), null);
    expect(saved.querySelector('.acp-head .badge')?.tagName).toBe('SPAN');
  });

  it('stands in the header, also for a turn that was sent so', () => {
    const setConfig = vi.fn(() => Promise.resolve());
    const { view } = showPanel({ store: storeWith(ALLOWED) }, { setConfig });
    fireEvent.click(view.getByRole('button', { name: 'Allow-all: ask again' }));
    expect(setConfig).toHaveBeenCalledWith(SESSION, { policy: 'ask' });
  });
});
