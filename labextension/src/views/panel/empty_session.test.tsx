import { fireEvent, within } from '@testing-library/preact';
import { expect, it, vi } from 'vitest';

import { session } from '../../../tests/support/build';
import { showPanel, storeOf, until, view } from '../../../tests/support/panel';
import type { Mention } from '../actions';

const IDLE = { status: 'idle', active_turn_id: null } as const;

const ERROR: Mention = {
  group: 'errors',
  label: 'Cell 2: ZeroDivisionError',
  detail: '',
  word: '',
  attachment: {
    kind: 'error',
    label: 'Cell 2',
    text: 'division',
    notebook: 'a.ipynb',
    cellId: 'c',
  },
};

const find = (_: string, found: (mentions: readonly Mention[]) => void) => {
  found([ERROR]);
  return () => undefined;
};

const starters = () => within(view().getByRole('list', { name: 'Suggestions' }));

it('offers what a notebook may begin with; a click writes it and sends nothing', async () => {
  const send = vi.fn(() => Promise.resolve());
  const store = storeOf([], session({ ...IDLE, notebook_path: 'work/a.ipynb' }));
  showPanel({ store }, { send, mentions: { find } });
  await until(() => expect(starters().getAllByRole('button')).toHaveLength(3));
  expect(starters().getByText('Find slow parts of a.ipynb')).not.toBeNull();
  fireEvent.click(starters().getByText('Explain this error: Cell 2: ZeroDivisionError'));
  const box = view().getByRole('textbox', { name: 'Message' });
  await until(() =>
    expect(box).toHaveProperty('value', 'Explain this error: Cell 2: ZeroDivisionError'),
  );
  expect(document.activeElement).toBe(box);
  expect(store.ui.attachments.list).toEqual([ERROR.attachment]);
  expect(send).not.toHaveBeenCalled();
});

it('offers nothing without a notebook', () => {
  showPanel({ store: storeOf([], session({ ...IDLE, notebook_path: '' })) });
  expect(view().queryByRole('list', { name: 'Suggestions' })).toBeNull();
});
