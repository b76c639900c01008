import { fireEvent, waitFor, within } from '@testing-library/preact';
import { expect, it, vi } from 'vitest';

import { message, SESSION, tool, TURN } from '../../../tests/support/build';
import { DONE, draw, words } from '../../../tests/support/draw';
import { menuOf, showList, summary } from '../../../tests/support/panel';
import { Additions } from '../../views/additions';
import { sharing } from './share_turn';
import type { Share } from './share_turn';

const ITEMS = [tool('r'), message('m', 'End.')];

function sharedBy(share: Share) {
  return { turn: DONE, actions: { additions: new Additions().add(sharing(share)) } };
}

it('shares the turn, and says why that failed', async () => {
  const share = vi.fn(() => Promise.reject(new Error('The disk is full.')));
  const { element, view } = draw(ITEMS, sharedBy(share));
  fireEvent.click(view.getByRole('button', { name: 'Share this turn' }));
  expect(share).toHaveBeenCalledExactlyOnceWith(SESSION, TURN);
  await waitFor(() => expect(words(element)).toContain('The disk is full.'));
});

it('shares a turn once, however often it is clicked meanwhile', async () => {
  let written = () => {};
  const share = vi.fn(() => new Promise<void>(resolve => (written = resolve)));
  const { view } = draw(ITEMS, sharedBy(share));
  const button = view.getByRole('button', { name: 'Share this turn' });
  fireEvent.click(button);
  await waitFor(() => expect(button.getAttribute('aria-disabled')).toBe('true'));
  fireEvent.click(button);
  expect(share).toHaveBeenCalledOnce();
  written();
  await waitFor(() => expect(button.getAttribute('aria-disabled')).toBe('false'));
});

it('shares a session from the list, and says why that failed', async () => {
  const share = vi.fn(() => Promise.reject(new Error('The disk is full.')));
  const { actions } = sharedBy(share);
  const panel = await showList([summary('one')], actions);
  const menu = await menuOf(panel, 'Title one');
  fireEvent.click(within(menu).getByRole('menuitem', { name: 'Share' }));
  expect(share).toHaveBeenCalledExactlyOnceWith('one');
  await panel.until(() => expect(words(panel.element)).toContain('The disk is full.'));
});

it('has no control in a saved turn', () => {
  const { view } = draw(ITEMS, { turn: DONE, actions: null });
  expect(view.queryByRole('button', { name: 'Share this turn' })).toBeNull();
});
