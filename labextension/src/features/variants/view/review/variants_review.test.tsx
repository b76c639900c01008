import { fireEvent, waitFor, within } from '@testing-library/preact';
import { beforeEach, describe, expect, it } from 'vitest';

import { edit, file, turn } from '../../../../../tests/support/build';
import {
  CONNECTION,
  done,
  focused,
  press,
  Reviewed,
  view,
} from '../../../../../tests/support/review';
import { added } from '../../../../../tests/support/events';
import type { ChangedFile, FileTexts, TurnState } from '../../../../wire/types';
import type { Actions } from '../../../../views/actions';
import { mountVariantsReview } from './variants_review';

let reviewed: Reviewed;

let element: HTMLElement;

beforeEach(() => {
  reviewed = new Reviewed();
});

/** Shows the sessions as variants; `refused` is why one of them is not shown. */
function showVariants(refused: Readonly<Record<string, string>> = {}): HTMLElement {
  const failures = new Map(
    Object.entries(refused).map(([id, message]) => [id, { message, detail: '' }]),
  );
  const props = { failures, connection: CONNECTION };
  return reviewed.mount((root, sources) => mountVariantsReview(root, { ...props, sources }));
}

/** A variant's changes by path; none is kept. */
const changed = (...paths: string[]) => paths.map(path => file(path, { reverted: true }));

function ended(
  number: number,
  files: readonly ChangedFile[] | null,
  over: Partial<TurnState> = {},
) {
  return done(`t${number}`, files, { variant: number, session_id: `s${number}`, ...over });
}

function tell(one: TurnState): void {
  reviewed.tell([one], one.session_id, one.variant === 1 ? 'Claude' : 'Codex');
}

const columns = () => view().getAllByRole('region', { name: /^Variant/ });

const column = (number: number) => {
  const found = columns()[number - 1];
  if (found === undefined) {
    throw new Error(`There is no column ${number}.`);
  }
  return within(found);
};

const files = () => view().getAllByRole('tab');

const words = (elements: readonly Element[]) => elements.map(each => each.textContent);

describe('the review of variants', () => {
  beforeEach(() => {
    tell(ended(2, changed('b.py', 'c.py')));
    tell(ended(1, changed('a.py', 'b.py'), { tokens: 2100 }));
    element = showVariants();
  });

  it('lists each file with the variants that changed it', async () => {
    expect(words(files())).toEqual([
      'a.pyVariant 11+2 −2',
      'b.pyVariant 11+2 −2Variant 22+2 −2',
      'c.pyVariant 22+2 −2',
    ]);
    expect(columns().map(each => each.getAttribute('aria-label'))).toEqual([
      'Variant 1 · Claude',
      'Variant 2 · Codex',
    ]);
    expect(columns()[0]?.textContent).toMatch(/Not kept.*9s · 2.1k tokens · 2 files.*\+4.*−4/);
    await waitFor(() => column(1).getByRole('region', { name: 'Diff of a.py' }));
    expect(columns()[1]?.textContent).toContain('It did not change this file.');
  });

  it('is moved through by keys, and kept as in the turns', async () => {
    element.querySelector<HTMLElement>('.acp')?.focus();
    press('ArrowDown');
    expect(document.activeElement?.textContent).toContain('b.py');
    expect(files().map(each => each.tabIndex)).toEqual([-1, 0, -1]);
    press('End');
    expect(document.activeElement?.textContent).toContain('c.py');
    press('ArrowUp');
    await waitFor(() => expect(view().getAllByRole('region', { name: /^Diff/ })).toHaveLength(2));
    fireEvent.click(column(2).getByRole('button', { name: 'Keep b.py' }));
    await waitFor(() => column(2).getByRole('button', { name: 'Undo for b.py' }));
    expect(files()[1]?.querySelectorAll('[aria-label="Kept"]')).toHaveLength(1);
    expect(columns()[1]?.textContent).toContain('Kept');
    // Moves to the next column, and decides there.
    press('J');
    expect(focused()).toBe('b.py');
    press('y');
    await waitFor(() => column(1).getByRole('button', { name: 'Undo for b.py' }));
    fireEvent.click(column(1).getByRole('button', { name: 'Keep all' }));
    await waitFor(() => column(1).getByRole('button', { name: 'Undo for all' }));
    expect(reviewed.calls).toEqual([
      { turnId: 't2', paths: ['b.py'], undo: true },
      { turnId: 't1', paths: ['b.py'], undo: true },
      { turnId: 't1', undo: true },
    ]);
  });
});

it('says in its column why one can not be kept', async () => {
  reviewed = new Reviewed({ revertTurn: () => Promise.reject(new Error('a.py was changed.')) });
  tell(ended(1, changed('a.py')));
  tell(ended(2, changed('a.py')));
  showVariants();
  fireEvent.click(await column(2).findByRole('button', { name: 'Keep a.py' }));
  await waitFor(() => expect(columns()[1]?.textContent).toContain('a.py was changed.'));
  expect(columns()[0]?.textContent).not.toContain('a.py was changed.');
});

it('does not call kept what no checkpoint has', async () => {
  const files = ['a.bin', 'b.bin'].map(path => file(path, { kept: false, words: 'Too large.' }));
  tell(ended(1, files));
  element = showVariants();
  await column(1).findByRole('article', { name: 'a.bin' });
  expect(columns()[0]?.textContent).toContain('Too large.');
  expect(element.textContent).not.toMatch(/Kept|Undo/);
});

describe('while not all is known', () => {
  it('says what loads, and what the server refused', () => {
    reviewed.add('s1');
    reviewed.add('s2');
    element = showVariants({ s2: 'There is no such session.' });
    expect(element.textContent).toContain('Loading the changes');
    expect(columns()[1]?.textContent).toContain('There is no such session.');
    tell(ended(1, null));
    return waitFor(() => expect(element.textContent).toContain('No variant changed a file.'));
  });

  it('fills with what one reports, and with what it changed once it has ended', async () => {
    tell(ended(1, null));
    const working = turn({ turn_id: 't2', session_id: 's2', variant: 2 });
    tell(working);
    element = showVariants();
    expect(element.textContent).toContain('No variant has changed a file so far.');
    const store = reviewed.sources[1]?.store;
    store?.apply([{ ...added({ ...edit('edit'), turn_id: 't2' }, 0, 11), session_id: 's2' }]);
    await waitFor(() => expect(words(files())).toEqual(['src/clean.pyVariant 22+2 −1']));
    expect(columns()[1]?.textContent).toContain('It is still running.');
    expect(column(2).queryByRole('button', { name: /Keep/ })).toBeNull();
    tell(ended(2, changed('src/clean.py')));
    await column(2).findByRole('button', { name: 'Keep src/clean.py' });
    expect(columns()[0]?.textContent).toContain('It changed no file.');
  });
});

describe('a notebook', () => {
  const notebook = (cells: readonly string[]) =>
    JSON.stringify({
      cells: cells.map(cell => {
        const [id = '', source = id] = cell.split('=');
        return { id, cell_type: 'code', metadata: {}, source, outputs: [], execution_count: null };
      }),
      metadata: {},
    });

  function show(before: readonly string[], ...after: readonly (readonly string[])[]): void {
    const getChanges: Actions['getChanges'] = (turnId, path) => {
      const texts: FileTexts = {
        ...file(path),
        old_text: notebook(before),
        new_text: notebook(after[Number(turnId.slice(1)) - 1] ?? []),
        too_large: false,
        edited_cells: [],
      };
      return Promise.resolve(texts);
    };
    reviewed = new Reviewed({ getChanges });
    after.forEach((_, index) => tell(ended(index + 1, changed('nb.ipynb'))));
    element = showVariants();
  }

  const rows = (number: number) =>
    [...(columns()[number - 1]?.querySelectorAll('.acp-diff > :not(header)') ?? [])].map(
      each => each.getAttribute('aria-label') ?? each.textContent,
    );

  it('has the same cell of each variant in one row', async () => {
    show(['a', 'b', 'c'], ['a', 'b=1', 'x', 'c'], ['a', 'b', 'c=2']);
    await waitFor(() =>
      expect(rows(1)).toEqual([
        '1 unchanged cell',
        'Cell 2 · source',
        'Cell 3 · new',
        '1 unchanged cell',
      ]),
    );
    await waitFor(() =>
      expect(rows(2)).toEqual(['1 unchanged cell', '1 unchanged cell', '', 'Cell 3 · source']),
    );
    expect(columns().map(each => each.style.gridRow)).toEqual(['span 7', 'span 7']);
  });

  it('shows more cells of all at once', async () => {
    const cells = Array.from({ length: 60 }, (_, index) => `c${index}`);
    const other = cells.map(id => `${id}=2`);
    show(cells, other, other);
    await waitFor(() => expect(rows(1)).toHaveLength(40));
    fireEvent.click(view().getByRole('button', { name: 'Show more cells' }));
    await waitFor(() => expect(rows(1)).toHaveLength(60));
    await waitFor(() => expect(rows(2)).toHaveLength(60));
    expect(view().queryByRole('button', { name: 'Show more cells' })).toBeNull();
  });
});
