import { fireEvent, waitFor, within } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { edit, message, session, SESSION, turn, TURN } from '../../../tests/support/build';
import { snapshot } from '../../../tests/support/events';
import { SessionStore } from '../../state/store';
import type { ChangedFile, FileTexts, TurnChanges, TurnState } from '../../wire/types';
import type { Actions } from '../actions';
import type { Mounted, TurnProps } from '../props';
import { mountTurn } from '../turn/turn_view';
import { setKept, WHOLE } from './decisions';

let element: HTMLElement;

let mounted: Mounted<TurnProps> | null = null;

beforeEach(() => {
  element = document.createElement('div');
  document.body.append(element);
});

afterEach(() => {
  mounted?.dispose();
  mounted = null;
  for (const path of ['a.py', 'b.py']) {
    setKept(TURN, path, WHOLE, false);
  }
  document.body.replaceChildren();
});

function file(path: string, over: Partial<ChangedFile> = {}): ChangedFile {
  return {
    path,
    change: 'modified',
    old_path: '',
    added: 2,
    removed: 1,
    binary: false,
    size: 10,
    old_mode: null,
    new_mode: null,
    came_from: '',
    kept: true,
    words: '',
    reverted: false,
    reverted_hunks: [],
    kept_hunks: [],
    together: [],
    author: 'agent',
    yours_too: false,
    old_text_id: '',
    new_text_id: '',
    ...over,
  };
}

function changed(files: ChangedFile[], over: Partial<TurnChanges> = {}): TurnChanges {
  return {
    files,
    left_out: 0,
    unknown_left_out: 0,
    revertible: true,
    words: '',
    checkpoint: 'x',
    made_folders: [],
    already: [],
    put_folders: [],
    ...over,
  };
}

function show(
  changes: TurnChanges | null,
  over: Partial<Actions> | null = {},
  of: Partial<TurnState> = {},
): void {
  const store = new SessionStore(SESSION);
  const state = turn({ status: 'done', stop_reason: 'end_turn', ended_at: 9, changes, ...of });
  const idle = session({ status: 'idle', active_turn_id: null });
  store.apply([snapshot([edit('e'), message('m', 'Done.')], [state], idle)]);
  const actions =
    over === null
      ? null
      : { answerPermission: () => Promise.resolve(), cancel: () => Promise.resolve(), ...over };
  mounted = mountTurn(element, { store, turnId: TURN, host: 'cell', actions });
}

const card = () => within(element).getByRole('group', { name: 'Changes' });

const button = (name: string | RegExp) => within(card()).getByRole('button', { name });

function texts(path: string, over: Partial<FileTexts> = {}): FileTexts {
  return {
    ...file(path),
    old_text: 'one\n',
    new_text: 'two\n',
    too_large: false,
    edited_cells: [],
    ...over,
  };
}

describe('the changes of a turn', () => {
  it('are said to be unknown, and why', () => {
    const store = new SessionStore(SESSION);
    const words = 'The folder has more than 20,000 files.';
    const done = { status: 'done', stop_reason: 'end_turn', ended_at: 9 } as const;
    const state = turn({ ...done, changes_unknown: words });
    store.apply([snapshot([message('m', 'Done.')], [state], session({ status: 'idle' }))]);
    mounted = mountTurn(element, { store, turnId: TURN, host: 'cell', actions: null });
    expect(card().textContent).toBe(words);
  });

  it('are those of the folder, whoever made them', () => {
    show(
      changed([
        file('a.py'),
        file('new.csv', { change: 'added', added: 5, removed: 0 }),
        file('gone', { change: 'deleted', added: 0, removed: 3 }),
      ]),
    );
    expect(card().querySelector('header')?.textContent).toContain('3 files changed');
    expect(card().querySelector('header')?.textContent).toContain('+7 −4');
    const rows = within(card()).getAllByRole('listitem');
    expect(rows.map(row => row.textContent)).toEqual([
      expect.stringContaining('a.py'),
      expect.stringMatching(/new\.csv.*new/),
      expect.stringMatching(/gone.*deleted/),
    ]);
    expect(within(card()).queryByRole('button', { name: 'Revert' })).toBeNull();
  });

  it.each([
    ['variant', { variant: 1 }],
    ['session in a copy', { in_copy: true }],
  ])('of a %s are put into the folder, one by one or all', async (_, of) => {
    const revertTurn = vi.fn(() => Promise.resolve());
    show(
      changed([file('a.py', { reverted: true }), file('b.py'), file('c.bin', { kept: false })]),
      { revertTurn, review: vi.fn() },
      of,
    );
    expect(card().textContent).toContain('in a copy of the folder');
    // Variants have a review of their own.
    const review = within(card()).queryByRole('button', { name: 'Review' });
    expect(review === null).toBe('variant' in of);
    expect(within(card()).queryByRole('button', { name: /c.bin$/ })).toBeNull();
    fireEvent.click(button('Keep a.py'));
    fireEvent.click(button('Undo for b.py'));
    fireEvent.click(button('Keep all'));
    await waitFor(() => expect(revertTurn).toHaveBeenCalledTimes(3));
    expect(revertTurn.mock.calls).toEqual([
      [TURN, { paths: ['a.py'], undo: true }],
      [TURN, { paths: ['b.py'], undo: false }],
      [TURN, { undo: true }],
    ]);
  });

  it('of a session in a copy are put into the folder part by part', async () => {
    const revertTurn = vi.fn(() => Promise.resolve());
    const getChanges = vi.fn((_: string, path: string) => Promise.resolve(texts(path)));
    const range = { old_start: 0, old_end: 1, new_start: 0, new_end: 1 };
    const part = { hunks: { path: 'a.py', hunks: [range] } };
    const more = { revertTurn, getChanges };
    show(changed([file('a.py', { reverted: true })]), more, { in_copy: true });
    fireEvent.click(button(/^a\.py/));
    const hunk = () => within(card()).getByRole('group', { name: /^Line 1, a\.py/ });
    await waitFor(hunk);
    expect(within(hunk()).queryByRole('button', { name: /^Leave/ })).toBeNull();
    fireEvent.click(within(hunk()).getByRole('button', { name: 'Keep Line 1' }));
    mounted?.dispose();
    show(changed([file('a.py', { reverted: true, kept_hunks: [range] })]), more, { in_copy: true });
    expect(card().textContent).toContain('Partly kept');
    fireEvent.click(button(/^a\.py/));
    await waitFor(() => expect(hunk().getAttribute('data-state')).toBe('kept'));
    fireEvent.click(within(hunk()).getByRole('button', { name: 'Undo for Line 1' }));
    fireEvent.click(button('Undo for a.py'));
    fireEvent.click(button('Keep a.py'));
    await waitFor(() => expect(revertTurn).toHaveBeenCalledTimes(4));
    expect(revertTurn.mock.calls).toEqual([
      [TURN, { ...part, undo: true }],
      [TURN, { ...part, undo: false }],
      [TURN, { paths: ['a.py'], undo: false }],
      [TURN, { paths: ['a.py'], undo: true }],
    ]);
  });

  it('are fetched when a file is opened', async () => {
    const getChanges = vi.fn((_: string, path: string) => Promise.resolve(texts(path)));
    show(changed([file('a.py')]), { getChanges });
    expect(getChanges).not.toHaveBeenCalled();
    fireEvent.click(button(/^a\.py/));
    const diff = await waitFor(() => within(element).getByRole('region', { name: 'Diff of a.py' }));
    expect(diff.querySelector('ins')?.textContent).toContain('two');
    expect(diff.querySelector('del')?.textContent).toContain('one');
    expect(getChanges).toHaveBeenCalledWith(TURN, 'a.py', undefined);
  });

  it('say why there is no diff', async () => {
    const failing = vi.fn(() => Promise.reject(new Error('What this turn changed is gone.')));
    const binary = file('b.bin', { binary: true, added: null, removed: null });
    const getChanges = (_: string, path: string) =>
      path === 'b.bin'
        ? Promise.resolve(texts(path, { ...binary, old_text: null, new_text: null }))
        : failing();
    show(changed([binary, file('a.py')]), { getChanges });
    fireEvent.click(button(/^b\.bin/));
    fireEvent.click(button(/^a\.py/));
    await waitFor(() => expect(card().textContent).toContain('This is not a text file.'));
    await waitFor(() => expect(card().textContent).toContain('What this turn changed is gone.'));
  });

  it('are taken back at once up to five files, beyond after one question', async () => {
    const revertTurn = vi.fn(() => Promise.resolve());
    show(changed([file('a.py'), file('b.py')]), { revertTurn });
    fireEvent.click(button('Revert all'));
    expect(revertTurn).toHaveBeenCalledWith(TURN, {});
    mounted?.dispose();
    revertTurn.mockClear();
    show(changed('abcdef'.split('').map(name => file(name))), { revertTurn });
    fireEvent.click(button('Revert all'));
    const question = 'Restore 6 files to what they were before the turn?';
    const asked = await waitFor(() => within(card()).getByRole('group', { name: question }));
    expect(revertTurn).not.toHaveBeenCalled();
    await waitFor(() => expect(asked.contains(document.activeElement)).toBe(true));
    fireEvent.keyDown(asked, { key: 'Escape' });
    await waitFor(() => expect(within(card()).queryByRole('group', { name: question })).toBeNull());
    await waitFor(() => expect(document.activeElement).toBe(button('Revert all')));
    fireEvent.click(button('Revert all'));
    fireEvent.click(await waitFor(() => button('Cancel')));
    expect(revertTurn).not.toHaveBeenCalled();
    await waitFor(() => expect(within(card()).queryByRole('group', { name: question })).toBeNull());
    fireEvent.click(button('Revert all'));
    fireEvent.click(await waitFor(() => button('Revert')));
    expect(revertTurn).toHaveBeenCalledWith(TURN, {});
  });

  it('are marked as seen together; then nothing is left to take back', async () => {
    const revertTurn = vi.fn(() => Promise.resolve());
    show(changed([file('a.py'), file('b.py'), file('c.py', { reverted: true })]), { revertTurn });
    fireEvent.click(button('Keep all'));
    await waitFor(() => expect(within(card()).getAllByText('Kept')).toHaveLength(2));
    expect(within(card()).queryByRole('button', { name: /^(Keep|Revert) all/ })).toBeNull();
    expect(revertTurn).not.toHaveBeenCalled();
    fireEvent.click(button('Undo for b.py'));
    // A single file needs only its own button.
    await waitFor(() => expect(button('Keep b.py')).toBeTruthy());
    expect(within(card()).queryByRole('button', { name: 'Keep all' })).toBeNull();
    expect(button('Revert all')).toBeTruthy();
  });

  it('count the lines that are left, without the parts that were reverted', () => {
    const part = { old_start: 0, old_end: 1, new_start: 0, new_end: 1 };
    show(
      changed([
        file('a.py', { reverted_hunks: [part] }),
        file('b.ipynb', { reverted_hunks: [part] }),
      ]),
    );
    const rows = within(card()).getAllByRole('listitem');
    expect(rows.map(row => row.querySelector('.counts')?.textContent)).toEqual(['+1 −0', '+2 −1']);
    expect(card().querySelector('header .counts')?.textContent).toBe('+3 −1');
  });

  it('are put back', () => {
    const revertTurn = vi.fn(() => Promise.resolve());
    const gone = { reverted: true };
    show(changed([file('a.py', gone), file('b.py', gone)]), { revertTurn });
    expect(within(card()).queryByRole('button', { name: /^Revert/ })).toBeNull();
    fireEvent.click(button('Undo for b.py'));
    expect(revertTurn).toHaveBeenCalledWith(TURN, { paths: ['b.py'], undo: true });
    fireEvent.click(button('Undo'));
    expect(revertTurn).toHaveBeenCalledWith(TURN, { undo: true });
  });

  it('are marked as kept, which changes no file and outlives the view', async () => {
    const revertTurn = vi.fn(() => Promise.resolve());
    show(changed([file('a.py'), file('b.py')]), { revertTurn });
    button('Keep a.py').focus();
    fireEvent.click(button('Keep a.py'));
    await waitFor(() => expect(button('Undo for a.py')).toBe(document.activeElement));
    mounted?.dispose();
    show(changed([file('a.py'), file('b.py')]), { revertTurn });
    const row = card().querySelector('[data-state=kept]');
    expect(row?.textContent).toContain('a.py');
    expect(row?.textContent).toContain('Kept');
    expect(localStorage.getItem('acp-jupyter:kept-changes')).toContain('a.py');
    fireEvent.click(button('Undo for a.py'));
    await waitFor(() => expect(button('Keep a.py')).toBeTruthy());
    expect(revertTurn).not.toHaveBeenCalled();
  });

  it('are taken back file by file, and a refusal is shown', async () => {
    const revertTurn = vi.fn(() => Promise.reject(new Error('a.py was changed since the turn.')));
    show(changed([file('a.py')]), { revertTurn });
    fireEvent.click(button('Revert a.py'));
    expect(revertTurn).toHaveBeenCalledWith(TURN, { paths: ['a.py'] });
    await waitFor(() => expect(card().textContent).toContain('a.py was changed since the turn.'));
    expect(button('Revert a.py')).toBeTruthy();
  });

  it('say what can not be taken back', async () => {
    const revertTurn = vi.fn(() => Promise.resolve());
    const own = 'The notebook of this turn is saved while it runs, so it is not reverted.';
    const files = [file('nb.ipynb', { kept: false, words: own }), file('x', { reverted: true })];
    show(changed(files), { revertTurn });
    expect(within(card()).queryByRole('button', { name: /^Revert/ })).toBeNull();
    expect(card().textContent).toContain('Reverted');
    fireEvent.click(button(/^nb\.ipynb/));
    await waitFor(() => expect(card().textContent).toContain(own));
  });

  it('lead to the review where there is one', () => {
    const review = vi.fn();
    show(changed([file('a.py')]), { review });
    fireEvent.click(button('Review'));
    expect(review).toHaveBeenCalledWith(TURN);
  });

  it('say why nothing can be taken back', () => {
    const words = 'Git is not installed here.';
    const revertTurn = vi.fn(() => Promise.resolve());
    show(changed([file('a')], { revertible: false, words, left_out: 3 }), { revertTurn });
    expect(card().textContent).toContain(`Can't be reverted. ${words}`);
    expect(card().textContent).toContain('4 files changed');
    expect(card().textContent).toContain('and 3 more files');
    expect(within(card()).queryByRole('button', { name: 'Revert' })).toBeNull();
  });

  it('say why nothing of a variant can be kept', () => {
    const words = 'Git is not installed here.';
    show(changed([file('a')], { revertible: false, words }), null, { variant: 1 });
    expect(card().textContent).toContain(`Can't be kept. ${words}`);
  });

  it('have no control in a saved record', () => {
    show(changed([file('a.py')]), null);
    expect(within(card()).queryAllByRole('button')).toEqual([]);
    expect(card().textContent).toContain('a.py');
  });

  it('are as the agent reported them where the folder was not compared', () => {
    show(null);
    expect(card().textContent).toContain('1 file changed');
    expect(card().textContent).toContain('clean.py');
  });

  it('show what the agent reported of a file that is not kept', async () => {
    const getChanges = vi.fn(() => Promise.resolve(null));
    const unknown = { kept: false, added: null, removed: null };
    show(changed([file('a.py'), file('src/clean.py', unknown)]), { getChanges });
    expect(card().querySelector('header')?.textContent).toContain('+4 −2');
    const row = button(/^src\/clean\.py/);
    expect(row.textContent).toContain('+2 −1');
    fireEvent.click(row);
    const name = 'Diff of src/clean.py';
    const diff = await waitFor(() => within(card()).getByRole('region', { name }));
    expect(diff.querySelector('ins')?.textContent).toContain('row');
    expect(getChanges).not.toHaveBeenCalled();
  });

  it('lists apart what is not the turn’s, and reverts what is unknown only when asked', async () => {
    const revertTurn = vi.fn(() => Promise.resolve());
    const files = [
      file('a.py'),
      file('b.py', { author: 'unknown' }),
      file('c.py', { author: 'unknown' }),
      file('d.py', { author: 'another', kept: false, words: 'Another turn changed it.' }),
      file('e.py', { author: 'you', kept: false, words: 'You saved it.' }),
    ];
    show(changed(files, { unknown_left_out: 7 }), { revertTurn });
    expect(card().textContent).toContain('1 file changed');
    expect(within(card()).queryByRole('button', { name: 'Revert all' })).toBeNull();
    const apart = (name: string) => within(card()).getByRole('group', { name });
    const unknown = apart('Author unknown');
    expect(unknown.textContent).toContain('9 more files changed meanwhile.');
    expect(unknown.textContent).toContain('and 7 more files');
    const yours = apart('Changed by you');
    expect(yours.textContent).toContain('You changed 1 file. Revert leaves it.');
    expect(within(yours).queryByRole('button', { name: /Keep|Revert/ })).toBeNull();
    expect(within(apart('Changed by another turn')).getByTitle(/d\.py/)).toBeTruthy();
    fireEvent.click(within(unknown).getByRole('button', { name: 'Revert these 9 too' }));
    fireEvent.click(await within(unknown).findByRole('button', { name: 'Revert' }));
    await waitFor(() =>
      expect(revertTurn).toHaveBeenCalledWith(TURN, { authors: ['unknown'], undo: false }),
    );
  });

  it('does not count a single file that nobody was seen to change', () => {
    show(changed([file('a.py'), file('b.py', { author: 'unknown' })]), { revertTurn: vi.fn() });
    const unknown = within(card()).getByRole('group', { name: 'Author unknown' });
    expect(within(unknown).getByRole('button', { name: 'Revert this too' })).toBeTruthy();
  });
});
