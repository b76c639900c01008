import type { SessionState } from './types';

/** Decides which requests of an agent are answered without the user. */
export type Policy = SessionState['policy'];

export const POLICIES: readonly Policy[] = [
  'ask',
  'read-only',
  'accept-edits',
  'allow-all',
  'deny',
];

/** The policy of that name if it is allowed; else the first allowed one, or `ask`. */
export function policyOf(name: unknown, allowed: readonly Policy[] = POLICIES): Policy {
  return allowed.find(policy => policy === name) ?? allowed[0] ?? 'ask';
}

/** The policies of a list with commas between them, as the page's configuration has it. */
export function policiesOf(list: string): readonly Policy[] {
  const names = list.split(',');
  const found = POLICIES.filter(policy => names.includes(policy));
  return found.length === 0 ? POLICIES : found;
}
