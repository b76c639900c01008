import type fc from 'fast-check';

/** How many examples a generated test takes: the same few in `make test`, more in `make test-all`. */

const times = Number(process.env.ACP_EXAMPLES ?? '1');

const seed = Number(process.env.ACP_SEED ?? '1');

/** Settings of a test that takes `number` examples in `make test`. */
export function examples<T>(number: number): fc.Parameters<T> {
  return { numRuns: number * times, seed };
}
