import { describe, expect, it } from 'vitest';

import { MountBudget } from './mount_budget';

/** Mounts as many items as the pace says, each at this cost. */
function mount(pace: MountBudget, clock: { now: number }, milliseconds: number): void {
  const { items } = pace;
  pace.begin(items);
  clock.now += items * milliseconds;
  pace.end();
}

describe('the pace of mounting', () => {
  it('fits a frame on a slow machine and on a fast one', () => {
    const clock = { now: 0 };
    const pace = new MountBudget(() => clock.now);
    for (let step = 0; step < 8; step += 1) {
      mount(pace, clock, 4);
    }
    expect(pace.items).toBe(3);
    for (let step = 0; step < 12; step += 1) {
      mount(pace, clock, 0.1);
    }
    expect(pace.items).toBe(60);
  });

  it('is at least one item, and learns nothing from what was not begun', () => {
    const clock = { now: 0 };
    const pace = new MountBudget(() => clock.now);
    for (let step = 0; step < 12; step += 1) {
      mount(pace, clock, 1_000);
    }
    expect(pace.items).toBe(1);
    pace.begin(0);
    pace.end();
    pace.end();
    expect(pace.items).toBe(1);
  });
});
