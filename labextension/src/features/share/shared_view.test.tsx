import { act, fireEvent, waitFor, within } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { edit, message, prompt, thought, tool, turn } from '../../../tests/support/build';
import { Playback } from './playback';
import type { Item, TurnSnapshot } from '../../wire/types';
import { mountShared } from './shared_view';

function snapshot(id: string, items: readonly Item[]): TurnSnapshot {
  return {
    version: 1,
    turn_id: id,
    session_id: 'shared',
    final: true,
    agent: { id: '', name: 'Demo', version: '' },
    session_title: '',
    turn: turn({ turn_id: id, status: 'done', stop_reason: 'end_turn' }),
    items: [...items],
    footer: ['Demo 1.0'],
  };
}

const FIRST = snapshot('one', [
  prompt('u', 'Make it faster'),
  thought('h', 'It walks row by row.'),
  tool('r', { title: 'Reading clean.py' }),
  message('m', 'In between.', false),
  edit('e', { title: 'Editing clean.py' }),
  tool('b', { title: 'Running tests' }),
  message('n', 'All done.', false),
]);

const SECOND = snapshot('two', [prompt('u', 'Thank you'), message('m', 'You are welcome.', false)]);

function show(...turns: TurnSnapshot[]) {
  const element = document.createElement('div');
  document.body.append(element);
  const playback = new Playback(turns);
  mountShared(element, { playback });
  const view = within(element);
  return {
    element,
    playback,
    view,
    slider: view.getByRole<HTMLInputElement>('slider', { name: 'Step' }),
    press: (name: string) => fireEvent.click(view.getByRole('button', { name })),
    key: (key: string, target: Element = document.body) => fireEvent.keyDown(target, { key }),
  };
}

const words = ({ textContent }: Element) => textContent;

beforeEach(() => {
  Element.prototype.scrollIntoView = vi.fn();
});

afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

describe('a shared file', () => {
  it('opens whole, as a finished turn is', () => {
    const { element, slider } = show(FIRST, SECOND);
    expect(words(element)).toContain('Make it faster');
    expect(words(element)).toContain('3 steps');
    expect(words(element)).toContain('All done.');
    expect(words(element)).toContain('You are welcome.');
    expect(words(element)).not.toContain('It walks row by row.');
    expect(words(element)).not.toContain('Its session is not open here');
    expect([slider.value, slider.max]).toEqual(['8', '8']);
  });

  it('goes back and forth by the arrow keys, and opens what has come last', async () => {
    const { element, slider, key, view } = show(FIRST, SECOND);
    for (const shown of ['7', '6', '5', '4', '3', '2', '1', '0']) {
      key('ArrowLeft');
      await waitFor(() => expect(slider.value).toBe(shown));
    }
    expect(words(element)).toContain('Make it faster');
    expect(words(element)).not.toContain('Thought');
    key('ArrowLeft');
    expect(slider.value).toBe('0');
    key('ArrowRight');
    await waitFor(() => expect(words(element)).toContain('It walks row by row.'));
    key('ArrowRight');
    await waitFor(() => expect(words(element)).toContain('Reading clean.py'));
    expect(words(element)).not.toContain('It walks row by row.');
    expect(view.getByRole('slider').getAttribute('aria-valuetext')).toContain('Reading clean.py');
    expect(words(element)).not.toContain('In between.');
  });

  it('leaves keys to what has its own', () => {
    const { slider, key, element } = show(FIRST);
    key('ArrowLeft', slider);
    const code = document.createElement('pre');
    code.tabIndex = 0;
    element.append(code);
    key('ArrowLeft', code);
    fireEvent.keyDown(document.body, { key: 'ArrowLeft', altKey: true });
    expect(slider.value).toBe(slider.max);
  });

  it('plays from the start, stops at the end, and pauses', async () => {
    vi.useFakeTimers();
    const { slider, press, view } = show(FIRST);
    const pass = (milliseconds: number) =>
      act(async () => {
        await vi.advanceTimersByTimeAsync(milliseconds);
      });
    press('Play');
    await pass(100);
    expect(slider.value).toBe('0');
    await pass(2_000);
    expect(slider.value).toBe('1');
    press('Pause');
    await pass(10_000);
    expect(slider.value).toBe('1');
    press('Play');
    for (let step = 0; step < 8; step += 1) {
      await pass(2_000);
    }
    expect(slider.value).toBe(slider.max);
    expect(view.getByRole('button', { name: 'Play' })).toBeTruthy();
  });

  it('opens all and closes all, and keeps what its reader closes', async () => {
    const { element, press, view } = show(FIRST);
    press('Open all');
    await waitFor(() => expect(words(element)).toContain('It walks row by row.'));
    const line = element.querySelector<HTMLDetailsElement>('.acp-thought');
    if (line !== null) {
      line.open = false;
      fireEvent(line, new Event('toggle'));
    }
    await waitFor(() => expect(words(element)).not.toContain('It walks row by row.'));
    expect(words(element)).toContain('df.loc');
    press('Close all');
    await waitFor(() => expect(view.getByRole('button', { name: 'Open all' })).toBeTruthy());
    expect(words(element)).not.toContain('In between.');
  });

  it('is printed whole, and is then as it was', async () => {
    const { element, slider, key } = show(FIRST);
    for (let step = 0; step < 4; step += 1) {
      key('ArrowLeft');
    }
    await waitFor(() => expect(words(element)).not.toContain('All done.'));
    const place = slider.value;
    fireEvent(window, new Event('beforeprint'));
    await waitFor(() => expect(words(element)).toContain('All done.'));
    expect(words(element)).toContain('It walks row by row.');
    fireEvent(window, new Event('afterprint'));
    await waitFor(() => expect(slider.value).toBe(place));
    expect(words(element)).not.toContain('All done.');
  });
});
