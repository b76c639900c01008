import { fireEvent } from '@testing-library/preact';
import { beforeEach, expect, it, vi } from 'vitest';

import { SESSION } from '../../../tests/support/build';
import { snapshot } from '../../../tests/support/events';
import { IDLE, showPanel, storeOf, until, view, write } from '../../../tests/support/panel';
import type { SessionStore } from '../../state/store';
import type { SessionState } from '../../wire/types';
import type { Actions } from '../actions';

const USE = 'Use the sandbox folder';

const setConfig = vi.fn<NonNullable<Actions['setConfig']>>(() => Promise.resolve());

beforeEach(() => {
  localStorage.clear();
  setConfig.mockClear();
});

function show(over: Partial<SessionState> = {}, actions: Partial<Actions> = {}): SessionStore {
  const store = storeOf([], { ...IDLE, ...over });
  showPanel({ store }, { setConfig, ...actions });
  return store;
}

/** Chooses a policy, and has the server say so. */
function choose(store: SessionStore, name: RegExp, policy: SessionState['policy']): void {
  fireEvent.click(view().getByRole('combobox', { name: 'Policy' }));
  fireEvent.click(view().getByRole('option', { name }));
  const state = store.view.session ?? IDLE;
  store.apply([snapshot([], [], { ...state, policy })]);
}

const allowAll = (store: SessionStore) => choose(store, /^Allow all/, 'allow-all');

const offer = () => view().queryByRole('button', { name: USE });

it('offers the sandbox when all is first allowed, and never again', async () => {
  const store = show();
  expect(offer()).toBeNull();
  allowAll(store);
  await until(() => expect(offer()).not.toBeNull());
  fireEvent.click(offer() ?? document.body);
  expect(setConfig).toHaveBeenLastCalledWith(SESSION, { sandbox: 'folder' });
  await until(() => expect(offer()).toBeNull());
  expect(document.activeElement).toBe(view().getByRole('textbox', { name: 'Message' }));
  choose(store, /^Ask/, 'ask');
  allowAll(store);
  await until(() => expect(view().getByRole('button', { name: /^Allow-all/ })).toBeTruthy());
  expect(offer()).toBeNull();
});

it('is gone once it is closed, or a message is sent', async () => {
  allowAll(show());
  await until(() => expect(offer()).not.toBeNull());
  fireEvent.click(view().getByRole('button', { name: 'Close' }));
  await until(() => expect(offer()).toBeNull());
  expect(setConfig).not.toHaveBeenCalledWith(SESSION, { sandbox: 'folder' });
  localStorage.clear();
  document.body.replaceChildren();
  allowAll(show());
  await until(() => expect(offer()).not.toBeNull());
  fireEvent.keyDown(write('Hello'), { key: 'Enter' });
  await until(() => expect(offer()).toBeNull());
});

it.each([
  ['another policy', { sandbox: 'off' }, {}, /^Accept edits/, 'accept-edits'],
  ['a sandbox that is chosen already', { sandbox: 'read-only' }, {}, /^Allow all/, 'allow-all'],
  ['an administrator who does not allow it', {}, { sandboxes: ['off'] }, /^Allow all/, 'allow-all'],
] as const)('does not come with %s, and is not lost by it', async (_, over, may, name, policy) => {
  choose(show(over, may), name, policy);
  await until(() => expect(view().getByRole('combobox', { name: 'Policy' })).toBeTruthy());
  expect(offer()).toBeNull();
  document.body.replaceChildren();
  allowAll(show());
  await until(() => expect(offer()).not.toBeNull());
});

it('counts for a session that is not there yet', async () => {
  const createSession = vi.fn(() => Promise.resolve('new'));
  showPanel({}, { setConfig, createSession });
  fireEvent.click(view().getByRole('combobox', { name: 'Policy' }));
  fireEvent.click(view().getByRole('option', { name: /^Allow all/ }));
  await until(() => expect(offer()).not.toBeNull());
  fireEvent.click(offer() ?? document.body);
  const sandbox = view().getByRole('combobox', { name: 'Sandbox' });
  await until(() => expect(sandbox.textContent).toBe('Sandbox: Folder'));
});
