import { vi } from 'vitest';

/** What a check waits for is there long before; only a test that fails waits for all of them. */
const MAX_STEPS = 2_000;

/** Time that passes between two checks, where the test has a clock of its own. */
const STEP_MILLISECONDS = 50;

/**
 * Waits until a check holds, and returns what it returned.
 *
 * Time of fake timers passes meanwhile. Steps are counted, not time: a busy machine makes them
 * longer, not fewer.
 */
export async function until<T>(check: () => T): Promise<T> {
  for (let steps = 0; ; steps += 1) {
    try {
      return check();
    } catch (error) {
      if (steps === MAX_STEPS) {
        throw error;
      }
    }
    if (vi.isFakeTimers()) {
      await vi.advanceTimersByTimeAsync(STEP_MILLISECONDS);
    } else {
      await new Promise(resolve => setTimeout(resolve, 5));
    }
  }
}

/** Milliseconds that this thread computed while it did something: none pass while it waits. */
export function cost(deed: () => void): number {
  const before = process.threadCpuUsage();
  deed();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
