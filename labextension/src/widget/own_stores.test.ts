import { expect, it } from 'vitest';

import { SessionStore } from '../state/store';
import { DRAFT } from '../state/ui';
import { OwnStores } from './own_stores';
import type { DraftModel } from './own_stores';

/** A message box's model with its one trait, in the page. */
class FakeModel implements DraftModel {
  value: unknown = 'from the kernel';
  saved = 0;
  readonly listeners = new Set<() => void>();

  get(): unknown {
    return this.value;
  }
  set(_name: string, value: unknown): void {
    this.value = value;
  }
  save_changes(): void {
    this.saved += 1;
  }
  on(_event: string, listener: () => void): void {
    this.listeners.add(listener);
  }
  off(_event: string, listener: () => void): void {
    this.listeners.delete(listener);
  }
}

it('shares the draft of a message box with the kernel, both ways', () => {
  const model = new FakeModel();
  const own = new OwnStores(model, 'composer');
  const store = new SessionStore('a');
  const { ui } = own.of(store);
  expect(own.of(store).ui).toBe(ui);
  expect(ui.value(DRAFT)).toBe('from the kernel');
  expect(model.saved).toBe(0);
  ui.setValue(DRAFT, 'typed');
  expect([model.value, model.saved]).toEqual(['typed', 1]);
  model.value = 'linked';
  model.listeners.forEach(listener => listener());
  expect([ui.value(DRAFT), model.saved]).toEqual(['linked', 1]);
  expect(store.ui.value(DRAFT)).toBe('');
  own.dispose();
  expect(model.listeners.size).toBe(0);
});

it('gives a session a draft of its own, which the kernel does not see', () => {
  const model = new FakeModel();
  const store = new SessionStore('a');
  new OwnStores(model, 'session').of(store).ui.setValue(DRAFT, 'typed');
  expect(store.ui.value(DRAFT)).toBe('');
  expect(model.value).toBe('from the kernel');
  expect(new OwnStores(model, 'plan').of(store)).toBe(store);
});
