import { fireEvent } from '@testing-library/preact';
import { expect, it, vi } from 'vitest';

import { message, tool } from '../../../tests/support/build';
import { DONE, draw } from '../../../tests/support/draw';

const ITEMS = [
  message('m1', 'First.'),
  tool('r'),
  message('m2', 'So **this**.'),
  message('m3', 'End.'),
];

it('copies the answer as it was written, without what came before it', () => {
  const copy = vi.fn(() => Promise.resolve());
  const { view } = draw(ITEMS, { turn: DONE, actions: { copy } });
  fireEvent.click(view.getByRole('button', { name: 'Copy the answer' }));
  expect(copy).toHaveBeenCalledExactlyOnceWith('So **this**.\n\nEnd.');
});

it('has nothing to copy where there is no answer, and no control in a saved turn', () => {
  const copy = vi.fn(() => Promise.resolve());
  const button = (drawn: ReturnType<typeof draw>) =>
    drawn.view.queryByRole('button', { name: 'Copy the answer' });
  expect(button(draw([tool('r')], { turn: DONE, actions: { copy } }))).toBeNull();
  expect(button(draw(ITEMS, { turn: DONE, actions: null }))).toBeNull();
});
