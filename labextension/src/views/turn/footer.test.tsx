import { fireEvent } from '@testing-library/preact';
import { expect, it, vi } from 'vitest';

import { message, tool, turnEnd } from '../../../tests/support/build';
import { DONE, draw, words } from '../../../tests/support/draw';
import { drawGolden } from '../../../tests/support/golden';
import type { TurnState } from '../../wire/types';

const ITEMS = [
  message('m1', 'First.'),
  tool('r'),
  message('m2', 'So **this**.'),
  message('m3', 'End.'),
];

it('copies the answer as it was written, without what came before it', () => {
  const copy = vi.fn(() => Promise.resolve());
  const { view } = draw(ITEMS, { turn: DONE, actions: { copy } });
  fireEvent.click(view.getByRole('button', { name: 'Copy the answer' }));
  expect(copy).toHaveBeenCalledExactlyOnceWith('So **this**.\n\nEnd.');
});

it('has nothing to copy where there is no answer, and no control in a saved turn', () => {
  const copy = vi.fn(() => Promise.resolve());
  const button = (drawn: ReturnType<typeof draw>) =>
    drawn.view.queryByRole('button', { name: 'Copy the answer' });
  expect(button(draw([tool('r')], { turn: DONE, actions: { copy } }))).toBeNull();
  expect(button(draw(ITEMS, { turn: DONE, actions: null }))).toBeNull();
});

it('says once how long the turn took, as its agent tells it', () => {
  const steps = ['a', 'b', 'c'].map(id => tool(id));
  const items = [...steps, ...ITEMS, turnEnd({ duration_seconds: 72.4 })];
  const { element } = draw(items, { turn: { ...DONE, started_at: 0, ended_at: 5 } });
  expect(foot(element)).toMatch(/1m 12s$/);
  expect(words(element).split('1m 12s')).toHaveLength(2);
});

it('measures how long the turn took where nobody tells it', () => {
  const { element } = draw(ITEMS, { turn: { ...DONE, started_at: 0, ended_at: 5 } });
  expect(foot(element)).toMatch(/5s$/);
});

it('says which sandbox was chosen for the turn, if any', () => {
  const footOf = (over: Partial<TurnState>) =>
    foot(draw(ITEMS, { turn: { ...DONE, ...over } }).element);
  expect(footOf({ sandbox: 'folder' })).toContain('sandbox folder');
  expect(footOf({ sandbox: 'off' })).not.toContain('sandbox');
  // The policy implies it; the chosen one is another.
  const denied = footOf({ sandbox: 'folder', policy: 'read-only' });
  expect(denied).toContain('read-only');
  expect(denied).not.toContain('sandbox');
});

it('says the time that the agent told of a real turn', () => {
  const { element } = drawGolden('turns/stop_budget');
  expect(foot(element)).toMatch(/1\.2s$/);
});

function foot(element: Element): string {
  return words(element.querySelector('.acp-foot'));
}
