import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/preact';
import { afterEach, expect, test, vi } from 'vitest';

import type { NewOutsideKey, OutsideKeyEntry } from '../../wire/types';
import { identity } from '../../views/i18n';
import { OutsideAccess } from './outside_access';
import type { Access } from './outside_access';

afterEach(cleanup);

const ENTRY: OutsideKeyEntry = {
  key_id: 'abc',
  notebook_path: 'work/n.ipynb',
  policy: 'read-only',
  created_at: Date.now() / 1000 - 7200,
  expires_at: Date.now() / 1000 + 86_400,
  last_used_at: null,
  user: '',
};
const MADE: NewOutsideKey = { entry: ENTRY, key: 'acp-key-abc-0', variable: 'ACP_JUPYTER_KEY' };

function draw(more: Partial<Access> = {}, copy = vi.fn(() => Promise.resolve())) {
  const access: Access = {
    url: 'http://localhost:8888/',
    notebook: () => 'work/n.ipynb',
    list: () => Promise.resolve([]),
    make: () => Promise.resolve(MADE),
    revoke: () => Promise.resolve(),
    ...more,
  };
  const onBack = vi.fn();
  render(<OutsideAccess access={access} actions={{ copy }} t={identity} onBack={onBack} />);
  return { copy, onBack };
}

test('a key is made for reading unless more is chosen, and shown with its command', async () => {
  const make = vi.fn(() => Promise.resolve(MADE));
  const { copy } = draw({ make });
  expect(screen.getByText(/use the tools of n\.ipynb/)).toBeTruthy();
  expect(await screen.findByText('There are no keys.')).toBeTruthy();
  expect(screen.getByRole('radio', { name: /^Read only/ })).toHaveProperty('checked', true);
  fireEvent.click(screen.getByRole('button', { name: 'Make a key' }));
  await screen.findByText('export ACP_JUPYTER_KEY=acp-key-abc-0');
  expect(make).toHaveBeenLastCalledWith('work/n.ipynb', 'read-only');
  expect(screen.getByText('jupyter acp mcp --url http://localhost:8888/')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Copy the key' }));
  await waitFor(() => {
    expect(copy).toHaveBeenLastCalledWith('export ACP_JUPYTER_KEY=acp-key-abc-0');
  });
  fireEvent.click(screen.getByRole('radio', { name: /^Ask/ }));
  fireEvent.click(screen.getByRole('button', { name: 'Make a key' }));
  await waitFor(() => {
    expect(make).toHaveBeenLastCalledWith('work/n.ipynb', 'ask');
  });
});

test('keys are listed with their last use, and revoked; a key that is shown goes with it', async () => {
  let keys: OutsideKeyEntry[] = [];
  const revoke = vi.fn(() => {
    keys = [];
    return Promise.resolve();
  });
  const make = () => {
    keys = [{ ...ENTRY, last_used_at: Date.now() / 1000 - 600 }];
    return Promise.resolve(MADE);
  };
  draw({ list: () => Promise.resolve(keys), make, revoke });
  fireEvent.click(screen.getByRole('button', { name: 'Make a key' }));
  const list = await screen.findByRole('list', { name: 'Keys' });
  expect(list.textContent).toContain('Read only · last used: 10 min · until ');
  fireEvent.click(screen.getByRole('button', { name: 'Revoke the key abc for n.ipynb' }));
  expect(await screen.findByText('There are no keys.')).toBeTruthy();
  expect(revoke).toHaveBeenCalledWith('abc');
  expect(screen.queryByText(/acp-key-abc/)).toBeNull();
});

test('without a notebook nothing can be made, and a failure is said', async () => {
  const list = () => Promise.reject(new Error('The server has gone.'));
  draw({ notebook: () => '', list });
  expect(screen.getByText(/Open a notebook first/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Make a key' })).toBeNull();
  expect((await screen.findByRole('alert')).textContent).toContain('The server has gone.');
});
