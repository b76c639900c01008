import { fireEvent, waitFor, within } from '@testing-library/preact';
import { expect, it, vi } from 'vitest';

import { SESSION } from '../../../tests/support/build';
import { draw } from '../../../tests/support/draw';
import { parseItem } from '../../wire/parse_snapshot';
import type { TrustRequest } from '../../wire/types';

function question(over: Partial<TrustRequest> = {}): TrustRequest {
  return {
    kind: 'trust_request',
    id: 'i1',
    turn_id: 't1',
    request_id: 'trust-1',
    state: 'pending',
    agent_name: 'Claude',
    folder: '~/projects/analysis',
    title: 'Trust this folder?',
    words: 'Agents run what a folder configures.',
    outcome: '',
    answered_by: '',
    asked_at: 0,
    ...over,
  };
}

it.each([
  ['Trust this folder', true],
  ["Don't trust", false],
])('%s answers once', (name, trust) => {
  const trustFolder = vi.fn(() => Promise.resolve());
  const { card } = draw([question()], { actions: { trustFolder } });
  const group = within(card('Folder trust'));
  expect(group.getByText('Claude')).not.toBeNull();
  expect(group.getByText('~/projects/analysis')).not.toBeNull();
  const button = group.getByRole('button', { name });
  fireEvent.click(button);
  fireEvent.click(button);
  expect(trustFolder).toHaveBeenCalledExactlyOnceWith(SESSION, 'trust-1', trust);
});

it('says why it could not be answered, and can be tried again', async () => {
  const trustFolder = vi.fn(() => Promise.reject(new Error('The file is broken.')));
  const { card } = draw([question()], { actions: { trustFolder } });
  const group = within(card('Folder trust'));
  fireEvent.click(group.getByRole('button', { name: 'Trust this folder' }));
  await waitFor(() => expect(group.getByRole('alert').textContent).toBe('The file is broken.'));
  expect(group.getByRole('button', { name: 'Trust this folder' })).toHaveProperty(
    'disabled',
    false,
  );
});

it('is a line once it is answered; where nobody may answer it has no buttons', () => {
  const trustFolder = vi.fn(() => Promise.resolve());
  const settled = question({ state: 'declined', outcome: 'Not trusted' });
  const done = draw([settled], { actions: { trustFolder } });
  expect(within(done.card('Folder trust')).queryByRole('button')).toBeNull();
  expect(done.card('Folder trust').textContent).toBe('Folder~/projects/analysisNot trusted');
  expect(done.card('Folder trust').matches('.acp-line')).toBe(true);
  done.element.remove();
  const saved = draw([question()], { actions: null });
  expect(within(saved.card('Folder trust')).queryByRole('button')).toBeNull();
});

it('is read from a saved record', () => {
  const item = question({ state: 'trusted', outcome: 'Trusted' });
  expect(parseItem({ ...item })).toEqual(item);
  expect(parseItem({ kind: 'trust_request', id: 'i1', state: 'who knows' })).toMatchObject({
    state: 'cancelled',
    folder: '',
  });
});
