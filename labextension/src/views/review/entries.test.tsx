import { fireEvent, waitFor, within } from '@testing-library/preact';
import { describe, expect, it, vi } from 'vitest';

import { file } from '../../../tests/support/build';
import { done, FIRST, group, Reviewed, textsOf, view } from '../../../tests/support/review';
import type { ChangedFile, TurnState } from '../../wire/types';
import type { Actions } from '../actions';

function ended(turn_id: string, at: number, ...files: ChangedFile[]): TurnState {
  return done(turn_id, files, { queued_at: at, ended_at: at + 1, prompt: `Ask ${turn_id}` });
}

/** A file with `after` in place of `before`. */
function went(path: string, before: string, after: string, over: Partial<ChangedFile> = {}) {
  return file(path, { old_text_id: before, new_text_id: after, ...over });
}

function show(first: TurnState[], second: TurnState[] = [], over: Partial<Actions> = {}): Reviewed {
  const reviewed = new Reviewed(over);
  reviewed.tell(first);
  if (second.length > 0) {
    reviewed.tell(second, 's2', 'Codex');
  }
  const turnIds = [...first, ...second].map(turn => turn.turn_id);
  reviewed.show({ kind: 'run', name: 'Run All', turnIds });
  return reviewed;
}

const run = (over: Partial<Actions> = {}) =>
  show(
    [ended('t1', 1, went('a.py', 'A', 'B'), went('b.py', 'X', 'Y'))],
    [ended('t2', 5, went('a.py', 'B', 'C'), went('c.py', 'M', 'N'))],
    over,
  );

const names = () =>
  view()
    .getAllByRole('article')
    .map(each => each.getAttribute('aria-label'));

const article = (name: string) => within(view().getByRole('article', { name }));

const earlier = ['t1'];

describe('a file that several turns changed', () => {
  it('is one change, with its turns named', async () => {
    const getChanges = vi.fn((_: string, path: string) => Promise.resolve(textsOf(path)));
    run({ getChanges, goToTurn: () => undefined });
    await waitFor(() => group('Line 5, a.py'));
    expect(names()).toEqual(['b.py', 'a.py', 'c.py']);
    expect(getChanges).toHaveBeenCalledWith('t2', 'a.py', earlier);
    for (const name of ['Go to Ask t1', 'Go to Ask t2']) {
      expect(article('a.py').getByRole('button', { name })).toBeTruthy();
    }
    await waitFor(() => expect(view().getByText('3 files')).toBeTruthy());
    expect(article('a.py').getByText('+2')).toBeTruthy();
  });

  it('is decided on change by change', async () => {
    const reviewed = run();
    await waitFor(() => group('Line 5, a.py'));
    fireEvent.click(article('a.py').getByRole('button', { name: 'Keep Line 30' }));
    await waitFor(() => group('Line 30, a.py, Kept'));
    fireEvent.click(article('a.py').getByRole('button', { name: 'Revert Line 5' }));
    await waitFor(() => group('Line 5, a.py, Reverted'));
    const hunks = { path: 'a.py', hunks: [FIRST] };
    expect(reviewed.calls).toEqual([{ turnId: 't2', hunks, earlier }]);
    expect(names()).toEqual(['b.py', 'a.py, Kept', 'c.py']);
    fireEvent.click(article('a.py, Kept').getByRole('button', { name: 'Undo for Line 5' }));
    await waitFor(() => group('Line 5, a.py'));
    fireEvent.click(article('a.py').getByRole('button', { name: 'Undo for Line 30' }));
    await waitFor(() => group('Line 30, a.py'));
    expect(reviewed.calls[1]).toEqual({ turnId: 't2', hunks, undo: true, earlier });
  });

  it('is kept in each of its turns', async () => {
    run();
    await waitFor(() => group('Line 5, a.py'));
    fireEvent.click(article('a.py').getByRole('button', { name: 'Keep a.py' }));
    await waitFor(() => article('a.py, Kept'));
    const said = localStorage.getItem('acp-jupyter:kept-changes');
    expect(said).toContain('["t1",{"a.py":[""]}],["t2",{"a.py":[""]}]');
    fireEvent.click(article('a.py, Kept').getByRole('button', { name: 'Undo for a.py' }));
    await waitFor(() => article('a.py'));
  });

  it('goes as a whole with all of its turns', async () => {
    const reviewed = run();
    await waitFor(() => group('Line 5, a.py'));
    fireEvent.click(view().getByRole('button', { name: 'Revert all' }));
    await waitFor(() => article('b.py, Reverted'));
    expect(names()).toEqual(['b.py, Reverted', 'a.py, Reverted', 'c.py, Reverted']);
    expect(reviewed.calls).toEqual([
      { turnId: 't2', paths: ['a.py'], earlier },
      { turnId: 't2', paths: ['c.py'] },
      { turnId: 't1', paths: ['b.py'] },
    ]);
    fireEvent.click(view().getByRole('button', { name: 'Undo all' }));
    await waitFor(() => article('c.py'));
    expect(reviewed.calls.slice(3)).toEqual([
      { turnId: 't1', paths: ['b.py'], undo: true },
      { turnId: 't2', paths: ['a.py'], undo: true, earlier },
      { turnId: 't2', paths: ['c.py'], undo: true },
    ]);
  });

  it.each([
    ['somebody changed it in between', went('a.py', 'A', 'B'), went('a.py', 'B2', 'C')],
    ['it is as it was before', went('a.py', 'A', 'B'), went('a.py', 'B', 'A')],
    [
      'one was taken back alone',
      went('a.py', 'A', 'B'),
      went('a.py', 'B', 'C', { reverted: true }),
    ],
    ['one was moved', went('a.py', 'A', 'B', { change: 'renamed' }), went('a.py', 'B', 'C')],
    ['it is not known what it held', went('a.py', '', ''), went('a.py', '', '')],
  ])('is two changes where %s', async (_, first, second) => {
    show([ended('t1', 1, first), ended('t2', 5, second)]);
    await waitFor(() => expect(view().getAllByRole('article')).toHaveLength(2));
  });

  it('stays counted from the turns that some of it was taken back with', async () => {
    const parts = { reverted_hunks: [FIRST], together: ['t2'] };
    show([
      ended('t1', 1, went('a.py', 'A', 'B')),
      ended('t2', 5, went('a.py', 'B', 'C')),
      ended('t3', 9, went('a.py', 'C', 'D', parts)),
    ]);
    await waitFor(() => group('Line 5, a.py, Reverted'));
    expect(view().getAllByRole('article')).toHaveLength(2);
  });

  it('stays one while its sessions tell one after the other that it was taken back', async () => {
    const [first, second] = [went('a.py', 'A', 'B'), went('a.py', 'B', 'C')];
    const gone = { reverted: true };
    for (const [one, other] of [
      [{ ...first, ...gone }, second],
      [first, { ...second, ...gone, together: earlier }],
    ] as const) {
      show([ended('t1', 1, one)], [ended('t2', 5, other)]);
      await waitFor(() => expect(view().getAllByRole('article')).toHaveLength(1));
      document.body.replaceChildren();
    }
  });

  it('is shown with the turns that some of it was taken back with', async () => {
    const reviewed = new Reviewed();
    const parts = { reverted_hunks: [FIRST], together: ['t1'] };
    reviewed.tell([
      ended('t1', 1, went('a.py', 'A', 'B'), went('b.py', 'X', 'Y')),
      ended('t2', 5, went('a.py', 'B', 'C', parts)),
    ]);
    reviewed.show({ kind: 'turn', turnId: 't2' });
    await waitFor(() => group('Line 5, a.py, Reverted'));
    expect(names()).toEqual(['a.py']);
    fireEvent.click(article('a.py').getByRole('button', { name: 'Revert a.py' }));
    expect(reviewed.calls).toEqual([{ turnId: 't2', paths: ['a.py'], earlier }]);
  });
});
