import { fireEvent } from '@testing-library/preact';
import { expect, it, vi } from 'vitest';

import { SESSION } from '../../../tests/support/build';
import { IDLE, showPanel, storeOf, until, view, write } from '../../../tests/support/panel';
import { Additions } from '../../views/additions';
import { identity } from '../../views/i18n';
import type { SavedPrompt } from '../../wire/types';
import { savedPrompts } from './saved_prompts';

function prompt(name: string, more: Partial<SavedPrompt> = {}): SavedPrompt {
  const none = { description: '', arguments: [], agent: '', policy: null };
  return { name, path: '', hidden: false, problem: '', ...none, ...more };
}

const REVIEW = prompt('review', {
  description: 'Review a file',
  arguments: [
    { name: 'file', description: 'Which file', default: null },
    { name: 'focus', description: '', default: 'errors' },
  ],
});

const box = () => view().getByRole('textbox', { name: 'Message' });
const option = (name: RegExp) => view().getByRole('option', { name });

function show(...prompts: SavedPrompt[]) {
  const list = vi.fn(() => Promise.resolve(prompts));
  const send = vi.fn(() => Promise.resolve());
  const commands = [{ name: 'help', description: 'Helps.', hint: '' }];
  const additions = new Additions().add(savedPrompts(list, identity));
  showPanel({ store: storeOf([], { ...IDLE, commands }) }, { send, additions });
  return { list, send };
}

it('asks for the arguments of a saved prompt, and sends them', async () => {
  const { list, send } = show(REVIEW);
  write('/rev');
  await until(() =>
    expect(option(/review/).textContent).toContain('/review file [focus] · saved prompt'),
  );
  expect(list).toHaveBeenCalledExactlyOnceWith(SESSION);
  fireEvent.keyDown(box(), { key: 'Enter' });
  const file = await vi.waitFor(() => view().getByLabelText<HTMLInputElement>('file'));
  expect(document.activeElement).toBe(file);
  expect(file.required).toBe(true);
  expect(view().queryByRole('listbox')).toBeNull();
  expect(view().getByLabelText('focus')).toHaveProperty('value', 'errors');

  fireEvent.keyDown(file, { key: 'Escape' });
  await until(() => expect(view().queryByRole('form')).toBeNull());
  expect(box()).toHaveProperty('value', '/rev');

  fireEvent.keyDown(box(), { key: 'Enter' });
  const again = await vi.waitFor(() => view().getByLabelText<HTMLInputElement>('file'));
  again.value = 'my "file".py';
  fireEvent.submit(view().getByRole('form', { name: 'Arguments of /review' }));
  await until(() => expect(box()).toHaveProperty('value', '/review file="my \\"file\\".py" '));
  expect(document.activeElement).toBe(box());
  fireEvent.keyDown(box(), { key: 'Enter' });
  await until(() =>
    expect(send).toHaveBeenCalledWith(SESSION, '/review file="my \\"file\\".py"', [], []),
  );
});

it('has the agent’s own commands first, and says so; broken ones can’t be taken', async () => {
  show(prompt('help'), prompt('bad', { problem: 'It is broken.' }));
  write('/');
  await until(() => expect(view().getAllByRole('option')).toHaveLength(2));
  const [own, broken] = view().getAllByRole('option');
  expect(own?.textContent).toContain('It is used, and not the saved prompt of this name.');
  expect(broken?.textContent).toContain('It is broken.');
  expect(broken?.getAttribute('aria-disabled')).toBe('true');
  fireEvent.click(option(/bad/));
  expect(box()).toHaveProperty('value', '/');
});

it('reads the files again each time', async () => {
  const { list } = show(REVIEW);
  write('/');
  await until(() => expect(list).toHaveBeenCalledTimes(1));
  write('');
  write('/');
  await until(() => expect(list).toHaveBeenCalledTimes(2));
});
