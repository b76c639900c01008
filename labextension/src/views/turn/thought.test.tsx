import { fireEvent, waitFor } from '@testing-library/preact';
import { beforeEach, expect, it } from 'vitest';

import { thought } from '../../../tests/support/build';
import { draw } from '../../../tests/support/draw';
import type { Drawn } from '../../../tests/support/draw';
import { added, closed } from '../../../tests/support/events';
import { preferThoughts } from '../../state/ui';

beforeEach(() => localStorage.clear());

function lines({ element }: Drawn): HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>('.acp-thought > button')];
}

function states(drawn: Drawn): (string | null)[] {
  return lines(drawn).map(line => line.getAttribute('aria-expanded'));
}

it('opens later thoughts as the user opened one that streamed, and leaves them open', async () => {
  const drawn = draw([thought('t1', 'First.', { open: true })]);
  expect(states(drawn)).toEqual(['false']);
  fireEvent.click(lines(drawn)[0] ?? drawn.element);
  drawn.store.apply([closed('t1', 11), added(thought('t2', 'Second.', { open: true }), 1, 12)]);
  await waitFor(() => expect(states(drawn)).toEqual(['true', 'true']));
  drawn.store.apply([closed('t2', 13)]);
  await waitFor(() => expect(drawn.element.textContent).not.toContain('Thinking'));
  expect(states(drawn)).toEqual(['true', 'true']);
});

it('remembers the choice beyond the page, and the reverse of it', () => {
  const first = draw([thought('t1', 'First.', { open: true })]);
  fireEvent.click(lines(first)[0] ?? first.element);
  const second = draw([thought('t2', 'Second.', { open: true })]);
  expect(states(second)).toEqual(['true']);
  fireEvent.click(lines(second)[0] ?? second.element);
  expect(states(draw([thought('t3', 'Third.', { open: true })]))).toEqual(['false']);
});

it('says nothing about thoughts that ended: one is opened, the next stays closed', () => {
  const drawn = draw([thought('t1', 'First.', { open: false, ended_at: 1 })]);
  fireEvent.click(lines(drawn)[0] ?? drawn.element);
  expect(states(drawn)).toEqual(['true']);
  expect(states(draw([thought('t2', 'Second.', { open: true })]))).toEqual(['false']);
});

it('does as the settings say, whatever was chosen last', () => {
  const chosen = draw([thought('t1', 'First.', { open: true })]);
  preferThoughts(true);
  try {
    expect(states(draw([thought('t2', 'Second.', { open: true })]))).toEqual(['true']);
    preferThoughts(false);
    fireEvent.click(lines(chosen)[0] ?? chosen.element);
    expect(states(chosen)).toEqual(['true']);
    expect(states(draw([thought('t3', 'Third.', { open: true })]))).toEqual(['false']);
  } finally {
    preferThoughts(null);
  }
  expect(states(draw([thought('t4', 'Fourth.', { open: true })]))).toEqual(['true']);
});
