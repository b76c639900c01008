import { afterEach, expect, test, vi } from 'vitest';

import { whenNearViewport } from './when_near_viewport';

const report = new Map<Element, (isIntersecting: boolean) => void>();

class Observer {
  readonly #callback: (entries: readonly { readonly isIntersecting: boolean }[]) => void;
  #element: Element | null = null;

  constructor(callback: (entries: readonly { readonly isIntersecting: boolean }[]) => void) {
    this.#callback = callback;
  }

  observe(element: Element): void {
    this.#element = element;
    report.set(element, isIntersecting => this.#callback([{ isIntersecting }]));
  }

  disconnect(): void {
    if (this.#element !== null) {
      report.delete(this.#element);
    }
  }
}

afterEach(() => {
  vi.unstubAllGlobals();
});

test('calls back once for what comes near, and never for the others', () => {
  vi.stubGlobal('IntersectionObserver', Observer);
  const waiting = () => {
    const target = document.createElement('div');
    const then = vi.fn();
    return { target, then, stop: whenNearViewport(target, then) };
  };
  const [near, far, gone] = [waiting(), waiting(), waiting()];
  gone.stop();
  report.get(far.target)?.(false);
  report.get(near.target)?.(false);
  expect(near.then).not.toHaveBeenCalled();
  report.get(near.target)?.(true);
  report.get(near.target)?.(true);
  expect(near.then).toHaveBeenCalledTimes(1);
  expect(far.then).not.toHaveBeenCalled();
  expect([...report.keys()]).toEqual([far.target]);
});
