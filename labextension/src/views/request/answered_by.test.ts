import { describe, expect, it } from 'vitest';

import { identity } from '../i18n';
import { byWhom } from './answered_by';

describe('who has answered', () => {
  it.each([
    ['Allowed once', '', 'Allowed once'],
    ['Allowed once', 'grace', 'Allowed once by grace'],
    ['Rejected: too: risky', 'grace', 'Rejected by grace: too: risky'],
  ])('%s, %s', (outcome, name, words) => {
    expect(byWhom({ outcome, answered_by: name }, identity)).toBe(words);
  });
});
