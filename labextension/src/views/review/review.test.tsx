import { fireEvent, waitFor, within } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { session, SESSION, snapshot, turn, TURN } from '../../../tests/support/build';
import { SessionStore } from '../../state/store';
import type { ChangedFile, FileTexts, TurnState } from '../../wire/types';
import type { Actions, RevertChoice } from '../actions';
import type { Mounted } from '../props';
import { mountReview } from './mount';
import type { ReviewProps } from './review';

const OLD = Array.from({ length: 40 }, (_, line) => `line ${line + 1}`);
const NEW = OLD.map((line, index) => (index === 4 || index === 29 ? line.toUpperCase() : line));
const FIRST = { old_start: 4, old_end: 5, new_start: 4, new_end: 5 };
const SECOND = { old_start: 29, old_end: 30, new_start: 29, new_end: 30 };

let element: HTMLElement;
let mounted: Mounted<ReviewProps>;
let store: SessionStore;
let files: ChangedFile[];
const calls: RevertChoice[] = [];

beforeEach(() => {
  localStorage.clear();
  calls.length = 0;
  element = document.createElement('div');
  document.body.append(element);
  Element.prototype.scrollIntoView = () => undefined;
  files = [file('a.py'), file('gone.txt', { change: 'deleted' }), file('b.py')];
});

afterEach(() => {
  mounted.dispose();
  document.body.replaceChildren();
});

function file(path: string, over: Partial<ChangedFile> = {}): ChangedFile {
  return {
    path,
    change: 'modified',
    old_path: '',
    added: 2,
    removed: 2,
    binary: false,
    size: 10,
    old_mode: null,
    kept: true,
    words: '',
    reverted: false,
    reverted_hunks: [],
    ...over,
  };
}

function done(turn_id: string, changed: readonly ChangedFile[] | null, over = {}): TurnState {
  const changes = changed && {
    files: [...changed],
    left_out: 0,
    revertible: true,
    words: '',
    checkpoint: 'x',
    made_folders: [],
  };
  return turn({ turn_id, status: 'done', stop_reason: 'end_turn', ended_at: 9, changes, ...over });
}

function told(...turns: TurnState[]): void {
  store.apply([snapshot([], turns, session({ status: 'idle', active_turn_id: null }))]);
}

/** Takes back as the server does. */
function revertTurn(_: string, what: RevertChoice): Promise<void> {
  calls.push(what);
  files = files.map(each => {
    const hunks = what.hunks?.path === each.path ? what.hunks.hunks : [];
    const undo = what.undo === true;
    const others = each.reverted_hunks.filter(one => !hunks.some(two => same(one, two)));
    const whole = what.hunks === undefined && (what.paths?.includes(each.path) ?? true);
    return {
      ...each,
      reverted: whole ? !undo : each.reverted,
      reverted_hunks: undo ? others : [...others, ...hunks],
    };
  });
  told(done(TURN, files));
  return Promise.resolve();
}

function same(one: object, two: object): boolean {
  return JSON.stringify(one) === JSON.stringify(two);
}

function getChanges(_: string, path: string): Promise<FileTexts> {
  const texts =
    path === 'gone.txt'
      ? { old_text: 'x\n', new_text: null }
      : { old_text: OLD.join('\n'), new_text: NEW.join('\n') };
  return Promise.resolve({ ...file(path), ...texts, too_large: false });
}

function show(turnId: string | null, over: Partial<Actions> = {}): void {
  store = new SessionStore(SESSION);
  const actions: Actions = {
    answerPermission: () => Promise.resolve(),
    cancel: () => Promise.resolve(),
    getChanges,
    revertTurn,
    ...over,
  };
  const connection = { state: 'open' } as const;
  mounted = mountReview(element, { store, turnId, connection, failure: null, actions });
}

const group = (name: string) => within(element).getByRole('group', { name });
const press = (key: string) =>
  fireEvent.keyDown(document.activeElement ?? element, { key, bubbles: true });
const focused = () => document.activeElement?.getAttribute('aria-label') ?? '';

async function shown(): Promise<void> {
  told(done(TURN, files));
  await waitFor(() => group('Line 30, b.py'));
  element.querySelector<HTMLElement>('.acp')?.focus();
}

describe('the review of a turn', () => {
  it('is decided on by keys, change by change', async () => {
    const openFile = vi.fn();
    show(TURN, { openFile });
    await shown();
    press('j');
    expect(focused()).toBe('Line 5, a.py');
    press('n');
    await waitFor(() => group('Line 5, a.py, Reverted'));
    expect(calls).toEqual([{ hunks: { path: 'a.py', hunks: [FIRST] } }]);
    expect(focused()).toBe('Line 30, a.py');
    press('y');
    await waitFor(() => group('Line 30, a.py, Kept'));
    expect(calls).toHaveLength(1);
    expect(focused()).toBe('gone.txt');
    press('n');
    await waitFor(() => expect(calls[1]).toEqual({ paths: ['gone.txt'] }));
    expect(focused()).toBe('Line 5, b.py');
    await waitFor(() => expect(element.textContent).toContain('3 files · 2 of 3 decided'));
    // Undo goes back over what was decided, the newest first.
    press('u');
    await waitFor(() => expect(calls[2]).toEqual({ paths: ['gone.txt'], undo: true }));
    press('u');
    await waitFor(() => group('Line 30, a.py'));
    press('u');
    await waitFor(() =>
      expect(calls[3]).toEqual({ hunks: { path: 'a.py', hunks: [FIRST] }, undo: true }),
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

  it('leaves keys alone in a text field, with a modifier, and outside', async () => {
    show(TURN);
    await shown();
    fireEvent.keyDown(element.querySelector('.acp') ?? element, { key: 'j', ctrlKey: true });
    fireEvent.keyDown(document.body, { key: 'j' });
    fireEvent.keyDown(within(element).getByRole('combobox'), { key: 'j' });
    expect(focused()).toBe('');
  });

  it('is taken back whole but for what is kept, and put back', async () => {
    show(TURN);
    await shown();
    const name = 'Keep Line 5';
    const first = within(group('Line 5, a.py')).getByRole('button', { name });
    fireEvent.click(first);
    await waitFor(() => group('Line 5, a.py, Kept'));
    fireEvent.click(within(element).getByRole('button', { name: 'Revert all' }));
    await waitFor(() =>
      expect(calls).toEqual([
        { hunks: { path: 'a.py', hunks: [SECOND] } },
        { paths: ['gone.txt', 'b.py'] },
      ]),
    );
    const undo = await waitFor(() => within(element).getByRole('button', { name: 'Undo all' }));
    expect(within(element).queryByRole('button', { name: 'Keep all' })).toBeNull();
    fireEvent.click(undo);
    await waitFor(() => expect(calls[2]).toEqual({ undo: true }));
  });

  it('asks before more than five files are taken back', async () => {
    files = 'abcdef'.split('').map(path => file(path));
    show(TURN);
    told(done(TURN, files));
    fireEvent.click(
      await waitFor(() => within(element).getByRole('button', { name: 'Revert all' })),
    );
    const asked = await waitFor(() => group('Make 6 files as they were before the turn?'));
    expect(calls).toEqual([]);
    fireEvent.click(within(asked).getByRole('button', { name: 'Revert' }));
    await waitFor(() => expect(calls).toEqual([{}]));
  });

  it('says what was refused, at its file', async () => {
    const why = 'Nothing was taken back: r.py was changed since the turn.';
    files = [file('r.py'), file('b.py')];
    show(TURN, { revertTurn: () => Promise.reject(new Error(why)) });
    await shown();
    press('j');
    press('n');
    await waitFor(() => expect(element.querySelector('[data-file]')?.textContent).toContain(why));
    expect(group('Line 5, r.py')).toBeTruthy();
  });

  it('fetches the diffs of many files when they are looked at', async () => {
    files = Array.from({ length: 30 }, (_, index) => file(`f${index}.py`));
    const fetched = vi.fn(getChanges);
    show(TURN, { getChanges: fetched });
    told(done(TURN, files));
    await waitFor(() => expect(fetched).toHaveBeenCalledTimes(10));
    fireEvent.click(within(element).getByRole('button', { name: /^f20\.py/ }));
    await waitFor(() => group('Line 5, f20.py'));
    expect(fetched).toHaveBeenCalledTimes(11);
  });

  it('waits, and says when there is nothing', async () => {
    show(TURN);
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
