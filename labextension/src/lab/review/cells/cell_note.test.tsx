import { fireEvent, within } from '@testing-library/preact';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { SESSION } from '../../../../tests/support/build';
import { SessionStore } from '../../../state/store';
import { identity } from '../../../views/i18n';
import type { CellJson } from '../../documents/merge/notebook_json';
import { mountCellNote } from './cell_note';
import type { CellNoteRow } from './cell_note';
import type { ChangedCell } from './changed_cells';

afterEach(() => document.body.replaceChildren());

function cell(source: string): CellJson {
  const id = 'a';
  return {
    ...{ id, cell_type: 'code', source, metadata: {} },
    ...{ outputs: [], execution_count: null, attachments: null },
  };
}

function row(over: Partial<ChangedCell>, more: Partial<CellNoteRow> = {}): CellNoteRow {
  const [before, after] = [cell('x = 1'), cell('x = 2\ny = 3')];
  const deed: ChangedCell = {
    cellId: 'a',
    before,
    after,
    above: [],
    agent: 'Demo',
    sure: true,
    steps: [],
    ...over,
  };
  const scene = {
    store: new SessionStore(SESSION),
    host: 'panel' as const,
    actions: null,
    t: identity,
    announce: () => undefined,
  };
  return {
    ...{ changed: deed, scene, language: 'python', number: 4, source: deed.after?.source ?? null },
    ...{ keep: vi.fn(), revert: vi.fn() },
    ...more,
  };
}

function show(...rows: CellNoteRow[]) {
  const element = document.createElement('div');
  document.body.append(element);
  const shown = mountCellNote(element, { rows });
  return { page: within(element), element, shown };
}

describe('the line under a cell', () => {
  it('says who changed it and how much, and opens the diff in its place', () => {
    const { page, element } = show(row({}));
    expect(page.getByRole('group').textContent).toContain('Changed by Demo+2 −1');
    const button = page.getByRole('button', { name: 'Show diff' });
    expect(button.getAttribute('aria-expanded')).toBe('false');
    fireEvent.click(button);
    const diff = page.getByRole('region', { name: 'Diff of Cell 4' });
    expect([...diff.querySelectorAll('del, ins')].map(line => line.textContent)).toEqual([
      'x = 1',
      'x = 2',
      'y = 3',
    ]);
    fireEvent.click(page.getByRole('button', { name: 'Hide diff' }));
    expect(element.querySelector('section')).toBeNull();
  });

  it('keeps and reverts; why that can’t be is said in place', () => {
    const [keep, revert] = [vi.fn(), vi.fn()];
    const { page } = show(row({}, { keep, revert }));
    fireEvent.click(page.getByRole('button', { name: 'Keep' }));
    expect(keep).toHaveBeenCalledOnce();
    revert.mockImplementation(() => {
      throw new Error('This cell was changed since.');
    });
    fireEvent.click(page.getByRole('button', { name: 'Revert' }));
    expect(page.getByRole('group', { name: 'Error' }).textContent).toContain(
      'This cell was changed since.',
    );
  });

  it('keeps its keys from the notebook', () => {
    const { page } = show(row({}));
    for (const button of page.getAllByRole('button')) {
      expect(button.matches('[data-lm-suppress-shortcuts]')).toBe(true);
    }
  });

  it('says what is new or gone, what was changed since, and whose hand is not known', () => {
    const { page, element, shown } = show(row({ before: null }), row({ cellId: 'b', after: null }));
    const names = () => page.getAllByRole('group').map(group => group.getAttribute('aria-label'));
    expect(names()).toEqual(['Added by Demo', 'Cell deleted by Demo']);
    shown.update({ rows: [row({ sure: false }, { source: 'typed' })] });
    expect(names()).toEqual(['Changed during a turn of Demo']);
    expect(element.textContent).toContain('changed since');
  });
});
