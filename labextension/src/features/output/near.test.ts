import { afterEach, expect, test, vi } from 'vitest';

import { whenNear } from './near';

const tell = new Map<Element, (isIntersecting: boolean) => void>();

class Observer {
  readonly #told: (entries: readonly { readonly isIntersecting: boolean }[]) => void;
  #element: Element | null = null;

  constructor(told: (entries: readonly { readonly isIntersecting: boolean }[]) => void) {
    this.#told = told;
  }

  observe(element: Element): void {
    this.#element = element;
    tell.set(element, isIntersecting => this.#told([{ isIntersecting }]));
  }

  disconnect(): void {
    if (this.#element !== null) {
      tell.delete(this.#element);
    }
  }
}

afterEach(() => {
  vi.unstubAllGlobals();
});

test('what comes near is told once, and nothing of the others', () => {
  vi.stubGlobal('IntersectionObserver', Observer);
  const waiting = () => {
    const target = document.createElement('div');
    const then = vi.fn();
    return { target, then, stop: whenNear(target, then) };
  };
  const [near, far, gone] = [waiting(), waiting(), waiting()];
  gone.stop();
  tell.get(far.target)?.(false);
  tell.get(near.target)?.(false);
  expect(near.then).not.toHaveBeenCalled();
  tell.get(near.target)?.(true);
  tell.get(near.target)?.(true);
  expect(near.then).toHaveBeenCalledTimes(1);
  expect(far.then).not.toHaveBeenCalled();
  expect([...tell.keys()]).toEqual([far.target]);
});
