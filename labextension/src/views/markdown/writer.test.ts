import { fireEvent } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { identity } from '../i18n';
import { Writer } from './writer';

const FRAMES = 60;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'requestAnimationFrame', 'cancelAnimationFrame'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** One word per frame; the number of draws, and the final text. */
function stream(press: () => void): { drawn: number; words: number } {
  const element = document.createElement('div');
  const writer = new Writer(element, { t: identity, controls: false });
  let drawn = 0;
  let shown = '';
  for (let at = 0; at < FRAMES; at += 1) {
    press();
    writer.append('word ');
    vi.advanceTimersToNextFrame();
    const text = element.textContent;
    drawn += text === shown ? 0 : 1;
    shown = text;
  }
  writer.become('word '.repeat(FRAMES), false);
  const words = element.textContent.trim().split(' ').length;
  writer.dispose();
  return { drawn, words };
}

describe('growing text', () => {
  it('is drawn in every frame', () => {
    vi.advanceTimersByTime(1_000);
    expect(stream(() => undefined)).toEqual({ drawn: FRAMES, words: FRAMES });
  });

  it('is drawn eight times a second while somebody types, and whole at its end', () => {
    const { drawn, words } = stream(() => fireEvent.keyDown(document.body, { key: 'a' }));
    expect(drawn).toBeGreaterThanOrEqual(7);
    expect(drawn).toBeLessThanOrEqual(9);
    expect(words).toBe(FRAMES);
  });
});
