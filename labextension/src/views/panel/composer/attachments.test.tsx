import { fireEvent } from '@testing-library/preact';
import { expect, it } from 'vitest';

import { IDLE, showPanel, storeOf, until, view } from '../../../../tests/support/panel';
import type { DraftAttachment } from '../../../state/attachments';
import type { SessionStore } from '../../../state/store';

const box = () => view().getByRole('textbox', { name: 'Message' });

const chip = (label: string) => view().getByRole('button', { name: `Remove ${label}` });

async function attach(...labels: string[]): Promise<SessionStore> {
  const store = storeOf([], IDLE);
  showPanel({ store }, { mentions: { find: () => () => undefined } });
  for (const label of labels) {
    store.ui.attachments.add({ kind: 'file', label, path: label });
  }
  await until(() => expect(view().getAllByRole('button', { name: /^Remove/ })).toHaveLength(3));
  return store;
}

function press(key: string): void {
  fireEvent.keyDown(document.activeElement ?? document.body, { key });
}

const labels = (list: readonly DraftAttachment[]) => list.map(({ label }) => label);

it('is one stop of Tab, and the arrows go along it', async () => {
  await attach('a.py', 'b.py', 'c.py');
  expect(chip('a.py').tabIndex).toBe(0);
  expect(chip('c.py').tabIndex).toBe(-1);
  chip('a.py').focus();
  press('ArrowLeft');
  expect(document.activeElement).toBe(chip('a.py'));
  press('ArrowRight');
  expect(document.activeElement).toBe(chip('b.py'));
  press('End');
  expect(document.activeElement).toBe(chip('c.py'));
  await until(() => expect(chip('c.py').tabIndex).toBe(0));
  expect(chip('a.py').tabIndex).toBe(-1);
  press('Home');
  expect(document.activeElement).toBe(chip('a.py'));
  press('Escape');
  expect(document.activeElement).toBe(box());
});

it.each(['Delete', 'Backspace'])('removes with %s and goes to the next', async key => {
  const store = await attach('a.py', 'b.py', 'c.py');
  chip('b.py').focus();
  press(key);
  expect(labels(store.ui.attachments.list)).toEqual(['a.py', 'c.py']);
  await until(() => expect(document.activeElement).toBe(chip('c.py')));
  press(key);
  // The last one: the focus goes to the one before.
  await until(() => expect(document.activeElement).toBe(chip('a.py')));
  press(key);
  expect(store.ui.attachments.list).toEqual([]);
  await until(() => expect(document.activeElement).toBe(box()));
});

it('goes back to the text where one was clicked away', async () => {
  await attach('a.py', 'b.py', 'c.py');
  fireEvent.click(chip('a.py'), { detail: 1 });
  expect(document.activeElement).toBe(box());
  // Enter clicks, too; a keyboard user stays in the list.
  chip('b.py').focus();
  fireEvent.click(chip('b.py'), { detail: 0 });
  await until(() => expect(document.activeElement).toBe(chip('c.py')));
});
