import { describe, expect, it } from 'vitest';

import { POLICIES, policiesOf, policyOf } from './policy';

describe('policies', () => {
  it('are all of them where the server names none', () => {
    expect(policiesOf('')).toBe(POLICIES);
    expect(policiesOf('nonsense')).toBe(POLICIES);
  });

  it('are those that the server names, and the first of them by default', () => {
    const allowed = policiesOf('deny,read-only');
    expect(allowed).toEqual(['read-only', 'deny']);
    expect(policyOf('deny', allowed)).toBe('deny');
    expect(policyOf('allow-all', allowed)).toBe('read-only');
    expect(policyOf('nonsense')).toBe('ask');
  });
});
