import { describe, expect, it } from 'vitest';

import { tool } from '../../../tests/support/build';
import { cost } from '../../../tests/support/wait';
import { marker, patternOf } from './search_results';

const hits = (pattern: string, line: string) =>
  marker(pattern)(line).flatMap(({ text, hit }) => (hit ? [text] : []));

describe('what a search found in a line', () => {
  it('is marked, each time, as text or as a simple expression', () => {
    expect(hits('rate', 'rate = rate + 1')).toEqual(['rate', 'rate']);
    expect(hits('def \\w+', 'def clean(rows):')).toEqual(['def clean']);
    expect(hits('TODO|FIXME', '# FIXME: later')).toEqual(['FIXME']);
    expect(hits('Rate', 'the rate')).toEqual(['rate']);
    expect(hits('f(x', 'y = f(x)')).toEqual(['f(x']);
  });

  it('never loses or adds text', () => {
    for (const pattern of ['', 'a', 'a*', '[', '(a)', 'x'.repeat(500), '^']) {
      const line = 'banana (a) [ '.repeat(50);
      const joined = marker(pattern)(line)
        .map(({ text }) => text)
        .join('');
      expect(joined, pattern).toBe(line);
    }
  });

  it('takes no longer for a hostile pattern', () => {
    const marked = cost(() => {
      for (const pattern of ['(a+)+$', '(a|a)*$', 'a*a*a*a*a*a*b', '(?=(a+))\\1b', 'a+a+$']) {
        marker(pattern)(`${'a'.repeat(5_000)}!`);
      }
    });
    expect(marked).toBeLessThan(500);
  });

  it('is known from the input', () => {
    expect(patternOf(tool('c1', { raw_input: { pattern: 'rate' } }))).toBe('rate');
    expect(patternOf(tool('c1', { raw_input: { query: 'rate' } }))).toBe('rate');
    expect(patternOf(tool('c1', { raw_input: { pattern: 7 } }))).toBe('');
    expect(patternOf(tool('c1', { raw_input: 'rate' }))).toBe('');
  });
});
