import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { cancelFrame, inNextFrame, inNextFrameOrHidden } from './frame';

/** Hides the page, or shows it; a hidden page has no frames. */
function show(isShown: boolean): void {
  Object.defineProperty(document, 'hidden', { value: !isShown, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}

let frames: (() => void)[] = [];

function frame(): void {
  frames.splice(0).forEach(run => run());
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => frames.push(run));
});

afterEach(() => {
  show(true);
  frames = [];
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Work that takes a number of frames, and the count of its runs. */
function workOf(times: number): { work: () => boolean; done: () => number } {
  let done = 0;
  const work = () => {
    done += 1;
    return done < times;
  };
  return { work, done: () => done };
}

it('is done once a frame until nothing is left', () => {
  const { work, done } = workOf(2);
  inNextFrame(work);
  inNextFrame(work);
  for (const wanted of [1, 2, 2]) {
    frame();
    expect(done()).toBe(wanted);
  }
});

it('goes on while the page is hidden, if it measures nothing', () => {
  const written = workOf(3);
  const measured = workOf(1);
  inNextFrameOrHidden(written.work);
  inNextFrame(measured.work);
  show(false);
  vi.runAllTimers();
  expect([written.done(), measured.done()]).toEqual([3, 0]);
  show(true);
  frame();
  expect([written.done(), measured.done()]).toEqual([3, 1]);
});

it('is done in a frame again once the page is shown', () => {
  show(false);
  const { work, done } = workOf(2);
  inNextFrameOrHidden(work);
  vi.runOnlyPendingTimers();
  expect(done()).toBe(1);
  show(true);
  frame();
  expect(done()).toBe(2);
});

it('may ask for another frame, and be cancelled', () => {
  let done = 0;
  const work = () => {
    done += 1;
    inNextFrame(work);
    return false;
  };
  inNextFrame(work);
  frame();
  frame();
  expect(done).toBe(2);
  cancelFrame(work);
  frame();
  expect(done).toBe(2);
});
