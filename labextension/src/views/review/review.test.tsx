import { fireEvent, waitFor, within } from '@testing-library/preact';
import { beforeEach, describe, expect, it, vi } from 'vitest';

import { file, TURN } from '../../../tests/support/build';
import {
  done,
  FIRST,
  focused,
  group,
  press,
  Reviewed,
  SECOND,
  textsOf,
} from '../../../tests/support/review';
import type { ChangedFile, TurnState } from '../../wire/types';
import type { Actions } from '../actions';

let element: HTMLElement;

let files: ChangedFile[];

let reviewed: Reviewed;

beforeEach(() => {
  files = [file('a.py'), file('gone.txt', { change: 'deleted' }), file('b.py')];
});

function show(over: Partial<Actions> = {}): void {
  reviewed = new Reviewed(over);
  reviewed.add();
  element = reviewed.show({ kind: 'turn', turnId: TURN }, { kind: 'session' });
}

const told = (...turns: TurnState[]) => reviewed.tell(turns);

const calls = () => reviewed.calls.map(({ turnId, ...what }) => (turnId === TURN ? what : turnId));

async function shown(): Promise<void> {
  told(done(TURN, files));
  await waitFor(() => group('Line 30, b.py'));
  element.querySelector<HTMLElement>('.acp')?.focus();
}

describe('the review of a turn', () => {
  it('is decided on by keys, change by change', async () => {
    const openFile = vi.fn(async () => {});
    show({ openFile });
    await shown();
    press('j');
    expect(focused()).toBe('Line 5, a.py');
    press('n');
    await waitFor(() => group('Line 5, a.py, Reverted'));
    expect(calls()).toEqual([{ hunks: { path: 'a.py', hunks: [FIRST] } }]);
    expect(focused()).toBe('Line 30, a.py');
    press('y');
    await waitFor(() => group('Line 30, a.py, Kept'));
    expect(calls()).toHaveLength(1);
    expect(focused()).toBe('gone.txt');
    press('n');
    await waitFor(() => expect(calls()[1]).toEqual({ paths: ['gone.txt'] }));
    expect(focused()).toBe('Line 5, b.py');
    await waitFor(() => expect(element.textContent).toContain('3 files · 2 of 3 decided'));
    // Undo goes back over the decisions, the newest first.
    press('u');
    await waitFor(() => expect(calls()[2]).toEqual({ paths: ['gone.txt'], undo: true }));
    press('u');
    await waitFor(() => group('Line 30, a.py'));
    press('u');
    await waitFor(() =>
      expect(calls()[3]).toEqual({ hunks: { path: 'a.py', hunks: [FIRST] }, undo: true }),
    );
    await waitFor(() => group('Line 5, a.py'));
    press('J');
    expect(focused()).toBe('gone.txt');
    press('J');
    expect(focused()).toBe('b.py');
    press('j');
    press('j');
    expect(focused()).toBe('Line 30, b.py');
    press('k');
    expect(focused()).toBe('Line 5, b.py');
    press('K');
    expect(focused()).toBe('gone.txt');
    press('o');
    expect(openFile).toHaveBeenCalledWith('gone.txt', 1);
    press('s');
    await waitFor(() => expect(element.querySelector('.acp-diff.split')).toBeTruthy());
    press('s');
  });

  it('offers side by side only where there is room, and takes it up again by itself', async () => {
    const watched: ((width: number) => void)[] = [];
    vi.stubGlobal(
      'ResizeObserver',
      class {
        constructor(tell: (entries: { contentRect: { width: number } }[]) => void) {
          watched.push(width => tell([{ contentRect: { width } }]));
        }
        observe = () => undefined;
        disconnect = () => undefined;
      },
    );
    show();
    await shown();
    vi.unstubAllGlobals();
    const be = (width: number) => watched.forEach(tell => tell(width));
    const button = () => {
      const found = element.querySelector<HTMLElement>('[data-do=split][aria-pressed=true]');
      expect(found).toBeTruthy();
      return found;
    };
    const words = 'There is no room for side by side. Widen this tab or close a sidebar.';
    press('s');
    await waitFor(button);
    be(719);
    await waitFor(() => expect(button()?.title).toBe(words));
    expect(button()?.getAttribute('aria-disabled')).toBe('true');
    expect(within(element).getByText(words).tagName).toBe('P');
    press('s');
    expect(element.querySelector('[aria-live=assertive]')?.textContent).toBe(words);
    be(0);
    be(720);
    await waitFor(() => expect(button()?.getAttribute('aria-disabled')).toBe('false'));
    expect(button()?.title).toBe('');
    press('s');
    await waitFor(() => expect(within(element).queryByText(words, { selector: 'p' })).toBeNull());
  });

  it('folds its list of files away', async () => {
    show();
    await shown();
    const list = within(within(element).getByRole('navigation', { name: 'Changed files' }));
    fireEvent.click(list.getByRole('button', { name: '3 files', expanded: true }));
    await waitFor(() => expect(list.getAllByRole('button')).toHaveLength(1));
    fireEvent.click(list.getByRole('button', { name: '3 files', expanded: false }));
    await waitFor(() => expect(list.getAllByRole('button')).toHaveLength(4));
  });

  it('leaves keys alone in a text field, with a modifier, and outside', async () => {
    show();
    await shown();
    fireEvent.keyDown(element.querySelector('.acp') ?? element, { key: 'j', ctrlKey: true });
    fireEvent.keyDown(document.body, { key: 'j' });
    fireEvent.keyDown(within(element).getByRole('combobox'), { key: 'j' });
    expect(focused()).toBe('');
  });

  it('is taken back whole but for what is kept, and put back', async () => {
    show();
    await shown();
    const name = 'Keep Line 5';
    const first = within(group('Line 5, a.py')).getByRole('button', { name });
    fireEvent.click(first);
    await waitFor(() => group('Line 5, a.py, Kept'));
    fireEvent.click(within(element).getByRole('button', { name: 'Revert all' }));
    await waitFor(() =>
      expect(calls()).toEqual([
        { hunks: { path: 'a.py', hunks: [SECOND] } },
        { paths: ['gone.txt', 'b.py'] },
      ]),
    );
    const undo = await waitFor(() => within(element).getByRole('button', { name: 'Undo all' }));
    expect(within(element).queryByRole('button', { name: 'Keep all' })).toBeNull();
    fireEvent.click(undo);
    await waitFor(() => expect(calls()[2]).toEqual({ undo: true }));
  });

  it('asks before more than five files are taken back', async () => {
    files = 'abcdef'.split('').map(path => file(path));
    show();
    told(done(TURN, files));
    fireEvent.click(
      await waitFor(() => within(element).getByRole('button', { name: 'Revert all' })),
    );
    const asked = await waitFor(() => group('Restore 6 files to what they were before?'));
    expect(calls()).toEqual([]);
    fireEvent.click(within(asked).getByRole('button', { name: 'Revert' }));
    await waitFor(() => expect(calls()).toEqual([{}]));
  });

  it('says what was refused, at its file', async () => {
    const why = 'Nothing was reverted: r.py was changed since the turn.';
    files = [file('r.py'), file('b.py')];
    show({ revertTurn: () => Promise.reject(new Error(why)) });
    await shown();
    press('j');
    press('n');
    await waitFor(() => expect(element.querySelector('[data-file]')?.textContent).toContain(why));
    expect(group('Line 5, r.py')).toBeTruthy();
  });

  it('fetches the diffs of many files when they are looked at', async () => {
    files = Array.from({ length: 30 }, (_, index) => file(`f${index}.py`));
    const fetched = vi.fn((_: string, path: string) => Promise.resolve(textsOf(path)));
    show({ getChanges: fetched });
    told(done(TURN, files));
    await waitFor(() => expect(fetched).toHaveBeenCalledTimes(10));
    fireEvent.click(within(element).getByRole('button', { name: /^f20\.py/ }));
    await waitFor(() => group('Line 5, f20.py'));
    expect(fetched).toHaveBeenCalledTimes(11);
  });

  it('waits, and says when there is nothing', async () => {
    show();
    expect(element.textContent).toContain('Loading the changes');
    told(done(TURN, null));
    await waitFor(() => expect(element.textContent).toContain('This turn changed no files.'));
    const scope = within(element).getByRole('combobox', { name: 'Scope' });
    told(done(TURN, null), done('t2', [file('later.py')], { prompt: 'Do more', queued_at: 5 }));
    fireEvent.change(scope, { target: { value: 'session' } });
    await waitFor(() => expect(element.textContent).toContain('Do more'));
    expect(within(element).getByRole('button', { name: /^later\.py/ })).toBeTruthy();
  });
});

describe('the review of a turn in a copy', () => {
  const here = (path: string, more: Partial<ChangedFile> = {}) =>
    file(path, { reverted: true, ...more });

  /** Marks are remembered by turn. */
  async function begun(turnId: string): Promise<void> {
    reviewed = new Reviewed();
    reviewed.add();
    element = reviewed.show({ kind: 'turn', turnId }, { kind: 'session' });
    const all = [here('a.py'), here('gone.txt', { change: 'deleted' }), here('b.py')];
    told(done(turnId, all, { in_copy: true }));
    await waitFor(() => group('Line 30, b.py'));
    element.querySelector<HTMLElement>('.acp')?.focus();
  }

  const asked = () => reviewed.calls.map(what => ({ ...what, turnId: undefined }));

  it('keeps and leaves what is in the copy, by keys', async () => {
    await begun('by keys');
    press('j');
    press('y');
    await waitFor(() =>
      expect(asked()).toEqual([{ hunks: { path: 'a.py', hunks: [FIRST] }, undo: true }]),
    );
    await waitFor(() => group('Line 5, a.py, Kept'));
    expect(focused()).toBe('Line 30, a.py');
    press('n');
    await waitFor(() => group('Line 30, a.py, Left'));
    expect(asked()).toHaveLength(1);
    expect(focused()).toBe('gone.txt');
    await waitFor(() => expect(element.textContent).toContain('3 files · 1 of 3 decided'));
    press('u');
    await waitFor(() => group('Line 30, a.py'));
    press('u');
    await waitFor(() =>
      expect(asked()[1]).toEqual({ hunks: { path: 'a.py', hunks: [FIRST] }, undo: false }),
    );
  });

  it('keeps all but what was left, and takes all of it out', async () => {
    await begun('all');
    expect(within(element).queryByRole('button', { name: 'Revert all' })).toBeNull();
    press('j');
    press('n');
    await waitFor(() => group('Line 5, a.py, Left'));
    fireEvent.click(within(element).getByRole('button', { name: 'Keep all' }));
    await waitFor(() => expect(asked()).toHaveLength(2));
    expect(asked()).toEqual([
      { hunks: { path: 'a.py', hunks: [SECOND] }, undo: true },
      { paths: ['gone.txt', 'b.py'], undo: true },
    ]);
    const undo = await waitFor(() => within(element).getByRole('button', { name: 'Undo all' }));
    fireEvent.click(undo);
    await waitFor(() => expect(asked()[2]).toEqual({ paths: ['a.py', 'gone.txt', 'b.py'] }));
  });

  it('shows each turn by itself', async () => {
    show();
    const ids = { old_text_id: 'one', new_text_id: 'two' };
    told(
      done(TURN, [here('a.py', ids)], { in_copy: true }),
      done('later', [here('a.py', { old_text_id: 'two', new_text_id: 'three' })], {
        in_copy: true,
        ended_at: 20,
      }),
    );
    await waitFor(() => group('Line 30, a.py'));
    fireEvent.change(within(element).getByRole('combobox', { name: 'Scope' }), {
      target: { value: 'session' },
    });
    await waitFor(() => expect(element.querySelectorAll('[data-file]')).toHaveLength(2));
    expect(element.textContent).not.toContain('Changed again later');
  });
});
