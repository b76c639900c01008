import { describe, expect, it } from 'vitest';

import { coveredBy } from './covered_error';

const ERROR = { name: 'ValueError', text: "ValueError: 'osprey'" };

describe('the error of a cell', () => {
  it('leaves without what its kernel masks', async () => {
    const asked: string[] = [];
    const answer = (expression: string) => {
      asked.push(expression);
      return Promise.resolve('ValueError: [masked]');
    };
    expect(await coveredBy(answer, ERROR)).toBe('ValueError: [masked]');
    expect(asked.join()).toContain(btoa(ERROR.text));
  });

  it('leaves as it is where nothing can be masked', async () => {
    expect(await coveredBy(null, ERROR)).toBe(ERROR.text);
    expect(await coveredBy(() => Promise.resolve(false), ERROR)).toBe(ERROR.text);
  });

  it('stays if the kernel does not say what is masked', async () => {
    const told = await coveredBy(() => Promise.resolve(null), ERROR);
    expect(told).toMatch(/^ValueError: \[not shown/);
  });
});
