import { describe, expect, it } from 'vitest';

import { file } from '../../../../tests/support/build';
import type { FileTexts } from '../../../wire/types';
import { changedCells, standingOf, stepsOf } from './changed_cells';
import type { CellStep } from './changed_cells';

interface Made {
  readonly id: string;
  readonly source: string;
  readonly turn?: string;
}

function notebook(...cells: readonly Made[]): string {
  return JSON.stringify({
    cells: cells.map(({ id, source, turn }) => ({
      id,
      cell_type: 'code',
      source,
      metadata: turn === undefined ? {} : { acp: { turn, agent: 'demo' } },
      outputs: [],
      execution_count: null,
    })),
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5,
  });
}

function texts(old_text: string | null, new_text: string | null, kept = true): FileTexts {
  return { ...file('n.ipynb', { kept }), old_text, new_text, too_large: false, edited_cells: [] };
}

const cell = (id: string, source: string, turn?: string): Made =>
  turn === undefined ? { id, source } : { id, source, turn };

const OLD = notebook(cell('a', '1'), cell('b', '2'), cell('c', '3'));

function told(steps: readonly CellStep[]) {
  return steps.map(({ cellId, before, after, sure }) => [
    cellId,
    before?.source ?? null,
    after?.source ?? null,
    sure,
  ]);
}

const by = (turnId: string, alone = true) => ({ turnId, agent: 'demo', alone });

const nothingKept = () => false;

describe('what a turn did to cells', () => {
  it('leaves out a cell that the user changed after a tool had written it', () => {
    const after = notebook(cell('a', '1'), cell('b', 'of both', 't'), cell('c', '4', 't'));
    const steps = stepsOf(by('t'), { ...texts(OLD, after), edited_cells: ['b'] });
    expect(told(steps)).toEqual([['c', '3', '4', true]]);
  });

  it('is not known where the notebook was being saved when the turn began', () => {
    expect(stepsOf(by('t'), texts('', notebook(cell('a', '1', 't'))))).toEqual([]);
  });

  it('is told cell by cell, with where a deleted one stood', () => {
    const after = notebook(cell('a', '1'), cell('new', '5'), cell('c', '4'));
    const steps = stepsOf(by('t'), texts(OLD, after));
    expect(told(steps)).toEqual([
      ['new', null, '5', true],
      ['b', '2', null, true],
      ['c', '3', '4', true],
    ]);
    expect(steps.find(({ cellId }) => cellId === 'b')?.above).toEqual(['a']);
  });

  it('leaves to the user what tools did not mark in the turn’s own notebook', () => {
    const after = notebook(cell('a', 'by hand'), cell('b', 'tool', 't'), cell('c', 'x', 'other'));
    expect(told(stepsOf(by('t'), texts(OLD, after, false)))).toEqual([['b', '2', 'tool', true]]);
    // The same for a session of the panel, whoever else worked there.
    expect(told(stepsOf(by('t', false), texts(OLD, after)))).toEqual([['b', '2', 'tool', true]]);
    // If no tool wrote, nobody knows who did.
    const unmarked = notebook(cell('a', '1'), cell('b', '7'), cell('c', '3'));
    expect(told(stepsOf(by('t'), texts(OLD, unmarked, false)))).toEqual([['b', '2', '7', false]]);
    expect(told(stepsOf(by('t', false), texts(OLD, unmarked)))[0]?.[3]).toBe(false);
    expect(told(stepsOf(by('t'), texts(OLD, unmarked)))[0]?.[3]).toBe(true);
  });

  it('is nothing for texts that are no notebooks, gone, or without ids', () => {
    const odd = ['', '[]', '{"cells": 3}', '{"cells": [null, 4]}', 'x'.repeat(50), null];
    for (const text of odd) {
      expect(stepsOf(by('t'), texts(text, '{"cells": [{}]}'))).toEqual([]);
      expect(stepsOf(by('t'), texts(text, text))).toEqual([]);
    }
    const nameless = notebook(cell('', '1'), cell('', '2'));
    expect(stepsOf(by('t'), texts(nameless, notebook(cell('', '3'))))).toEqual([]);
  });
});

describe('what several turns did to a cell', () => {
  const second = notebook(cell('a', '1'), cell('b', '20'), cell('c', '3'));
  const third = notebook(cell('a', '1'), cell('b', '200'), cell('c', '3'));
  const one = stepsOf(by('t1'), texts(OLD, second));
  const two = stepsOf(by('t2'), texts(second, third));

  it('is one change where each went on from the other, none where nothing is left', () => {
    expect(changedCells([...one, ...two], nothingKept)).toMatchObject([
      { cellId: 'b', before: { source: '2' }, after: { source: '200' } },
    ]);
    const back = stepsOf(by('t2'), texts(second, OLD));
    expect(changedCells([...one, ...back], nothingKept)).toEqual([]);
  });

  it('begins anew after what somebody else did, and after what was kept', () => {
    const mine = notebook(cell('a', '1'), cell('b', 'mine'), cell('c', '3'));
    const late = stepsOf(by('t2'), texts(mine, third));
    const fromMine = [{ before: { source: 'mine' }, after: { source: '200' } }];
    expect(changedCells([...one, ...late], nothingKept)).toMatchObject(fromMine);
    const first = ({ turnId }: CellStep) => turnId === 't1';
    expect(changedCells([...one, ...two], first)).toMatchObject([{ before: { source: '20' } }]);
    expect(changedCells([...one, ...two], () => true)).toEqual([]);
  });

  it('stands open only where the cell is as the agent left it', () => {
    const [deed] = changedCells(one, nothingKept);
    const found = ['20', 'typed', '2', null].map(source => deed && standingOf(deed, source));
    expect(found).toEqual(['open', 'changed_since', 'undone', 'undone']);
  });
});
