import { fireEvent } from '@testing-library/preact';
import { describe, expect, it } from 'vitest';

import { session } from '../../../tests/support/build';
import {
  openList,
  showList,
  showPanel,
  storeOf,
  summary,
  view,
} from '../../../tests/support/panel';

const focused = () => document.activeElement;

const box = () => view().getByRole('textbox', { name: 'Message' });

describe('the focus of the panel', () => {
  it('goes along to the list of sessions, and with Escape back to the message', async () => {
    const panel = await showList([summary('one')]);
    const search = view().getByRole('searchbox');
    expect(focused()).toBe(search);
    fireEvent.input(search, { target: { value: 'on' } });
    fireEvent.keyDown(search, { key: 'Escape' });
    // The field is emptied first.
    expect(view().queryByRole('searchbox')).not.toBeNull();
    fireEvent.input(search, { target: { value: '' } });
    fireEvent.keyDown(search, { key: 'Escape' });
    await panel.until(() => expect(focused()).toBe(box()));
  });

  it('is not taken from somebody who works elsewhere', async () => {
    const elsewhere = document.createElement('input');
    document.body.append(elsewhere);
    elsewhere.focus();
    const panel = showPanel({ sessions: [summary('one')] });
    await openList(panel);
    expect(focused()).toBe(elsewhere);
  });

  it('comes back to the button after a waiting message was changed', async () => {
    const waiting = { turn_id: 'q1', text: 'later', attachments: [] };
    const panel = showPanel(
      { store: storeOf([], session({ queue: [waiting] })) },
      { editQueued: () => Promise.resolve() },
    );
    const edit = () => view().getByRole('button', { name: 'Edit queued message' });
    edit().focus();
    fireEvent.click(edit());
    const field = () => view().getByRole('textbox', { name: 'Queued message' });
    await panel.until(() => expect(focused()).toBe(field()));
    fireEvent.keyDown(field(), { key: 'Escape' });
    await panel.until(() => expect(focused()).toBe(edit()));
  });

  it('is at the message after Send was pressed', async () => {
    const panel = showPanel({ store: storeOf([], session({ active_turn_id: null })) });
    fireEvent.input(box(), { target: { value: 'now' } });
    const send = view().getByRole('button', { name: 'Send' });
    await panel.until(() => expect(send).toHaveProperty('disabled', false));
    send.focus();
    fireEvent.click(send);
    await panel.until(() => expect(focused()).toBe(box()));
  });
});
