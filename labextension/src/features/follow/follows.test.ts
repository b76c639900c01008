import { expect, it, vi } from 'vitest';

import { Follows } from './follows';

it('is off until it is chosen, for each session by itself', () => {
  const follows = new Follows();
  const changed = vi.fn();
  follows.changed.add(changed);
  expect([follows.of('a'), follows.of('')]).toEqual(['off', 'off']);
  follows.set('a', 'on');
  expect([follows.of('a'), follows.of('b')]).toEqual(['on', 'off']);
  follows.set('a', 'paused');
  follows.setStandard(true);
  expect([follows.of('a'), follows.of('b'), follows.of('')]).toEqual(['paused', 'on', 'off']);
  follows.show('b');
  expect(follows.shown).toBe('b');
  expect(changed).toHaveBeenCalledTimes(4);
});
