import { fireEvent, waitFor, within } from '@testing-library/preact';
import { describe, expect, it, vi } from 'vitest';

import { file } from '../../../tests/support/build';
import { done, group, Reviewed, view } from '../../../tests/support/review';
import type { ChangedFile, Origin, TurnState } from '../../wire/types';
import type { Actions, RevertChoice } from '../actions';
import type { Scope } from './entries';

const RUN: Scope = { kind: 'run', name: 'Run All, 11:58', turnIds: ['t1', 't2', 't3'] };

function origin(cell_id: string): Origin {
  return {
    cell_id,
    view_id: '',
    kernel_id: 'k',
    notebook_path: 'work/analysis.ipynb',
    source: '',
    error: null,
  };
}

function ended(turn_id: string, at: number, files: ChangedFile[], over = {}): TurnState {
  return done(turn_id, files, { queued_at: at, ended_at: at + 1, ...over });
}

/** Two sessions in one folder; each changes `a.py`, one after the other. */
function run(over: Partial<Actions> = {}): Reviewed {
  const reviewed = new Reviewed({
    cellNumber: ({ cell_id }) => (cell_id === 'c4' ? 4 : cell_id === 'c7' ? 7 : null),
    ...over,
  });
  reviewed.tell([
    ended('t0', 0, [file('before.py')]),
    ended('t1', 1, [file('a.py'), file('b.py')], { origin: origin('c4') }),
    ended('t3', 30, [file('c.py')], { prompt: 'Tidy\nup' }),
  ]);
  reviewed.tell([ended('t2', 10, [file('a.py')], { origin: origin('c7') })], 's2', 'Codex');
  reviewed.show(RUN);
  return reviewed;
}

const article = (name: string, index = 0) => {
  const found = view().getAllByRole('article', { name })[index];
  if (found === undefined) {
    throw new Error(`There is no ${name} at ${index}.`);
  }
  return within(found);
};

const click = (place: ReturnType<typeof article>, name: string) =>
  fireEvent.click(place.getByRole('button', { name }));

describe('the review of a run', () => {
  it('shows the turns of all its sessions, and where each change is from', async () => {
    const goToTurn = vi.fn<(turn: TurnState) => void>();
    run({ goToTurn });
    await waitFor(() => expect(view().getByText('Changes of Run All, 11:58')).toBeTruthy());
    const names = view()
      .getAllByRole('heading', { level: 3 })
      .map(each => each.textContent);
    expect(names).toEqual(['3 files', 'Cell 4 · Claude', 'Cell 7 · Codex', 'Tidy · Claude']);
    expect(view().queryByText('before.py')).toBeNull();
    click(article('a.py', 1), 'Go to Cell 7');
    expect(goToTurn.mock.calls[0]?.[0].turn_id).toBe('t2');
    click(article('c.py'), 'Go to Tidy');
    expect(goToTurn.mock.calls[1]?.[0].turn_id).toBe('t3');
  });

  it('takes a file back with what came later, and puts it back with what came before', async () => {
    const reviewed = run();
    await waitFor(() => article('a.py', 1).getByRole('group', { name: /^Line 5/ }));
    expect(article('a.py').getByText(/Changed again later: Cell 7/)).toBeTruthy();
    const part = article('a.py').getByRole('group', { name: /^Line 5/ });
    expect(within(part).queryByRole('button', { name: 'Revert Line 5' })).toBeNull();
    click(article('a.py'), 'Revert a.py');
    await waitFor(() => article('a.py, Reverted', 1));
    const paths = ['a.py'];
    expect(reviewed.calls).toEqual([
      { turnId: 't2', paths },
      { turnId: 't1', paths },
    ]);
    click(article('a.py, Reverted', 1), 'Undo for a.py');
    await waitFor(() =>
      expect(view().queryByRole('article', { name: 'a.py, Reverted' })).toBeNull(),
    );
    expect(reviewed.calls.slice(2)).toEqual([
      { turnId: 't1', paths, undo: true },
      { turnId: 't2', paths, undo: true },
    ]);
  });

  it('puts the later change back where the earlier one can not be taken back', async () => {
    const why = 'Nothing was reverted: a.py was changed since the turn.';
    const calls: string[] = [];
    const revertTurn = (turnId: string, what: RevertChoice) => {
      calls.push(`${turnId} ${what.undo === true ? 'undo' : 'revert'}`);
      return turnId === 't1' ? Promise.reject(new Error(why)) : Promise.resolve();
    };
    run({ revertTurn });
    await waitFor(() => article('a.py', 1).getByRole('group', { name: /^Line 5/ }));
    click(article('a.py'), 'Revert a.py');
    await waitFor(() => expect(article('a.py').getByText(why)).toBeTruthy());
    expect(calls).toEqual(['t2 revert', 't1 revert', 't2 undo']);
  });

  it('takes all back, the newest first, but for what is under something kept', async () => {
    const reviewed = run();
    await waitFor(() => article('a.py', 1).getByRole('group', { name: /^Line 5/ }));
    click(article('a.py', 1), 'Keep a.py');
    await waitFor(() => article('a.py, Kept'));
    fireEvent.click(view().getByRole('button', { name: 'Revert all' }));
    await waitFor(() => article('b.py, Reverted'));
    expect(reviewed.calls).toEqual([{ turnId: 't3' }, { turnId: 't1', paths: ['b.py'] }]);
    fireEvent.click(view().getByRole('button', { name: 'Undo all' }));
    await waitFor(() => article('b.py'));
    expect(reviewed.calls.slice(2)).toEqual([
      { turnId: 't1', undo: true },
      { turnId: 't3', undo: true },
    ]);
  });
});

describe('a notebook in a review', () => {
  it('is decided on cell by cell', async () => {
    const cell = (id: string, source: string) => ({ id, cell_type: 'code', source, outputs: [] });
    const written = (...cells: object[]) => JSON.stringify({ cells, nbformat: 4 });
    const texts = {
      ...file('n.ipynb'),
      old_text: written(cell('a', 'x = 1'), cell('b', 'y = 1'), cell('c', 'z = 1')),
      new_text: written(cell('a', 'x = 2'), cell('n', 'new'), cell('b', 'y = 1')),
      too_large: false,
      edited_cells: [],
    };
    const reviewed = new Reviewed({ getChanges: () => Promise.resolve(texts) });
    reviewed.tell([ended('t1', 1, [file('n.ipynb')])]);
    reviewed.show({ kind: 'turn', turnId: 't1' });
    await waitFor(() => group('Cell 1 · source, n.ipynb'));
    const range = (
      ...[old_start, old_end, new_start, new_end]: [number, number, number, number]
    ) => ({
      hunks: { path: 'n.ipynb', hunks: [{ old_start, old_end, new_start, new_end }] },
    });
    for (const name of ['Cell 1 · source', 'Cell 2 · new', 'Cell 3 · deleted']) {
      click(within(group(`${name}, n.ipynb`)), `Revert ${name}`);
      await waitFor(() => group(`${name}, n.ipynb, Reverted`));
    }
    expect(reviewed.calls).toEqual([
      { turnId: 't1', ...range(0, 1, 0, 1) },
      { turnId: 't1', ...range(1, 1, 1, 2) },
      { turnId: 't1', ...range(2, 3, 3, 3) },
    ]);
    await waitFor(() => article('n.ipynb, Reverted'));
  });
});
