import { expect, test } from 'vitest';

import { announceStatus } from './seen_status';

/** A model whose trait `seen_status` a page may set. */
class FakeModel {
  readonly saved: unknown[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #state: Record<string, unknown>;
  constructor(status: string, seen: string | null) {
    this.#state = { status, seen_status: seen };
  }
  get(name: string): unknown {
    return this.#state[name];
  }
  set(name: string, value: unknown): void {
    this.#state[name] = value;
  }
  save_changes(): void {
    this.saved.push(this.#state.seen_status);
  }
  on(_event: string, listener: () => void): void {
    this.#listeners.add(listener);
  }
  off(_event: string, listener: () => void): void {
    this.#listeners.delete(listener);
  }
  /** What the kernel sends. */
  take(status: string): void {
    this.#state.status = status;
    this.#listeners.forEach(listener => listener());
  }
}

test('each status is written once, also of a next turn', () => {
  const model = new FakeModel('running', 'running');
  const stop = announceStatus(model);
  expect(model.saved).toEqual([]);
  for (const status of ['requires_action', 'requires_action', 'done', 'running', 'done']) {
    model.take(status);
  }
  expect(model.saved).toEqual(['requires_action', 'done', 'running', 'done']);
  stop();
  model.take('running');
  expect(model.saved).toHaveLength(4);
});

test('a page that comes late says what it finds', () => {
  const model = new FakeModel('done', 'running');
  announceStatus(model);
  expect(model.saved).toEqual(['done']);
});

test('nothing is written where the kernel does not want it', () => {
  const model = new FakeModel('running', null);
  announceStatus(model);
  model.take('done');
  expect(model.saved).toEqual([]);
});
