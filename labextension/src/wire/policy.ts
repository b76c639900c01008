import type { SessionState } from './types';

/** Which requests of an agent are answered without its user. */
export type Policy = SessionState['policy'];

export const POLICIES: readonly Policy[] = [
  'ask',
  'read-only',
  'accept-edits',
  'allow-all',
  'deny',
];

/** The policy of that name; `ask` for anything else. */
export function policyOf(name: unknown): Policy {
  return POLICIES.find(policy => policy === name) ?? 'ask';
}
