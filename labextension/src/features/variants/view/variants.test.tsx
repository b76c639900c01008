import { fireEvent, screen } from '@testing-library/preact';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { command, session, SESSION, turn } from '../../../../tests/support/build';
import { snapshot } from '../../../../tests/support/events';
import { SessionStore } from '../../../state/store';
import type { ChangedFile, Item, TurnState } from '../../../wire/types';
import type { Mounted } from '../../../views/props';
import { mountVariants } from './variants';
import type { VariantOfPrompt, VariantsProps } from './variants';

let element: HTMLElement;

let mounted: Mounted<VariantsProps> | null = null;

beforeEach(() => {
  element = document.createElement('div');
  document.body.append(element);
});

afterEach(() => {
  mounted?.dispose();
  document.body.replaceChildren();
});

function variant(number: number, over: Partial<TurnState>, items: Item[] = []): VariantOfPrompt {
  const store = new SessionStore(SESSION);
  const turnId = `t${number}`;
  const own = items.map(item => ({ ...item, turn_id: turnId }));
  const turns = [turn({ turn_id: turnId, variant: number, ...over })];
  store.apply([snapshot(own, turns, session())]);
  return { store, turnId, number, panelId: `panel-${number}` };
}

function changes(reverted: boolean): TurnState['changes'] {
  const file: ChangedFile = {
    path: 'a.py',
    old_path: '',
    came_from: '',
    change: 'modified',
    binary: false,
    kept: true,
    reverted,
    reverted_hunks: [],
    kept_hunks: [],
    added: 2,
    removed: 1,
    size: null,
    old_mode: null,
    new_mode: null,
    old_text_id: '',
    new_text_id: '',
    together: [],
    author: 'agent',
    yours_too: false,
    words: '',
  };
  return {
    files: [file],
    left_out: 0,
    unknown_left_out: 0,
    revertible: true,
    words: '',
    checkpoint: '',
    made_folders: [],
    already: [],
    put_folders: [],
  };
}

function show(variants: readonly VariantOfPrompt[], selected: number, onReview?: () => void) {
  const onSelect = vi.fn<(number: number) => void>();
  mounted = mountVariants(element, { variants, selected, onSelect, onReview });
  return { onSelect, tabs: screen.getAllByRole('tab') };
}

it('tells the variants apart', () => {
  const tests = [
    command('tests', { command: 'python -m pytest -q', exit_code: 1, status: 'completed' }),
    command('other', { command: 'ls', exit_code: 0, status: 'completed' }),
  ];
  const done = { status: 'done', stop_reason: 'end_turn', ended_at: 12 } as const;
  const { tabs } = show(
    [
      variant(1, { ...done, changes: changes(true), tokens: 2100 }, tests),
      variant(2, { status: 'requires_action' }),
      variant(3, { ...done, changes: changes(false) }),
      variant(4, { ...done, stop_reason: 'error' }),
    ],
    2,
  );
  const words = tabs.map(tab => tab.textContent);
  expect(words[0]).toMatch(/1 · Claude.*Not kept.*12s.*1 file.*1 test run, 1 failed.*\+2.*−1/);
  expect(words[1]).toContain('Asks you');
  expect(words[2]).toContain('Kept');
  expect(words[3]).toContain('Failed');
  expect(tabs[1]?.getAttribute('aria-controls')).toBe('panel-2');
  expect(tabs.map(tab => tab.getAttribute('aria-selected'))).toEqual([
    'false',
    'true',
    'false',
    'false',
  ]);
});

it('is moved through by keys and clicks', () => {
  const { tabs, onSelect } = show([variant(1, {}), variant(2, {}), variant(3, {})], 3);
  const [first, , last] = tabs;
  if (first === undefined || last === undefined) {
    throw new Error('no tabs');
  }
  for (const key of ['ArrowRight', 'ArrowLeft', 'Home', 'End', 'a']) {
    fireEvent.keyDown(last, { key });
  }
  fireEvent.click(first);
  expect(onSelect.mock.calls).toEqual([[1], [2], [1], [3], [1]]);
});

it('leads to the review of all of them, where the server knows them', () => {
  const onReview = vi.fn<() => void>();
  show([variant(1, {}), variant(2, {})], 1, onReview);
  fireEvent.click(screen.getByRole('button', { name: 'Review all variants' }));
  expect(onReview).toHaveBeenCalledOnce();
  show([variant(1, {}), variant(2, {})], 1);
  expect(screen.queryByRole('button')).toBeNull();
});
