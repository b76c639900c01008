import { fireEvent, within } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { afterLine, NO_CHECK } from '../check_state';
import type { CheckedCell, CheckLine } from '../../../wire/types';
import { mountCheck } from './check_view';

function cell(number: number, more: Partial<CheckedCell> = {}): CheckedCell {
  return {
    ...{ type: 'cell', cell_id: `c${number}`, number, verdict: 'same' },
    ...{ reason: '', differences: [] },
    ...more,
  };
}

const STARTED: CheckLine = { type: 'started', cells: 3 };
const ENDED: CheckLine = { type: 'ended', words: '' };
const DIFFERENT = cell(2, {
  verdict: 'different',
  differences: [{ kind: 'text/plain', old: '6', new: '10', counts: true }],
});

let element: HTMLElement;
const goTo = vi.fn();

function show(...lines: CheckLine[]) {
  const state = lines.reduce(afterLine, NO_CHECK);
  mountCheck(element, { name: 'book.ipynb', state, cancel: vi.fn(), again: vi.fn(), goTo });
  return within(element);
}

beforeEach(() => {
  element = document.createElement('div');
  document.body.append(element);
});

afterEach(() => element.remove());

describe('the view of a check', () => {
  it('says how far it is, and can be cancelled', () => {
    const view = show(STARTED, cell(1), { type: 'running', number: 2 });
    expect(view.getByRole('status').textContent).toBe('Cell 2 runs; 1 of 3 cells are done');
    expect(view.getByRole('progressbar').getAttribute('value')).toBe('1');
    expect(view.getByRole('button', { name: 'Cancel' })).toBeTruthy();
  });

  it('shows the old and the new output of a cell that is different', () => {
    const view = show(STARTED, cell(1), DIFFERENT, cell(3, { verdict: 'skipped' }), ENDED);
    expect(view.getByRole('status').textContent).toBe(
      '1 cell has a different output: 1 same, 1 different, 1 skipped',
    );
    const region = view.getByRole('region', { name: 'text/plain of cell 2' });
    expect(region.textContent).toContain('6');
    expect(region.textContent).toContain('10');
    fireEvent.click(view.getByRole('button', { name: 'Cell 2' }));
    expect(goTo).toHaveBeenCalledWith('c2');
    fireEvent.click(view.getByRole('button', { name: 'Hide' }));
    expect(view.queryByRole('region', { name: 'text/plain of cell 2' })).toBeNull();
  });

  it('shows pictures side by side, which do not count', () => {
    const pictures = { kind: 'image/png', old: 'AAAA\n', new: 'BB"BB', counts: false };
    const view = show(STARTED, cell(1, { differences: [pictures] }), ENDED);
    expect(view.getByRole('status').textContent).toContain('are the same: 1 same');
    fireEvent.click(view.getByRole('button', { name: 'Show the pictures' }));
    const sources = view.getAllByRole('img').map(image => image.getAttribute('src'));
    expect(sources).toEqual(['data:image/png;base64,AAAA', 'data:image/png;base64,BBBB']);
  });

  it('says why a check failed or ended early', () => {
    const refused = show({ type: 'ended', words: 'There is no kernel.' });
    expect(refused.getByRole('status').textContent).toBe('The check failed');
    expect(element.textContent).toContain('There is no kernel.');
  });

  it('says so of a notebook without code', () => {
    const view = show({ type: 'started', cells: 0 }, ENDED);
    expect(view.getByRole('status').textContent).toBe('This notebook has no code cells.');
  });
});
