import type { Failure } from './failure';

/** How the page stands to its host. */
export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'open' }
  /** `retryAt`: milliseconds since the epoch of the next try, if there will be one. */
  | { readonly state: 'lost'; readonly retryAt: number | null; readonly failure: Failure | null };

/** Waits between tries, in seconds; the last one stays. */
const RETRY_SECONDS = [1, 2, 4, 8, 15];

/** Wait before a try in milliseconds, spread so that many pages do not come at once. */
export function waitBefore(attempt: number, random: number): number {
  const seconds = RETRY_SECONDS[Math.min(attempt, RETRY_SECONDS.length - 1)] ?? 15;
  return Math.round(seconds * 1000 * (0.8 + 0.4 * random));
}
