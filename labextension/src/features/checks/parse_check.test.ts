import { describe, expect, it } from 'vitest';

import { parseCheckLine } from './parse_check';

describe('a line of a check', () => {
  it('is read field by field', () => {
    const told = {
      ...{ type: 'cell', cell_id: 'c', number: 2, verdict: 'different', reason: '' },
      differences: [{ kind: 'stdout', old: null, new: 'a\n', counts: true }],
    };
    expect(parseCheckLine(JSON.stringify(told))).toEqual(told);
    expect(parseCheckLine('{"type":"started","cells":3}')).toEqual({ type: 'started', cells: 3 });
    expect(parseCheckLine('{"type":"running","number":1}')).toEqual({ type: 'running', number: 1 });
    expect(parseCheckLine('{"type":"ended","words":""}')).toEqual({ type: 'ended', words: '' });
  });

  it('is nothing where its kind is not known, and no success where its verdict is not', () => {
    expect(parseCheckLine('{"type":"later"}')).toBeNull();
    expect(parseCheckLine('[]')).toBeNull();
    expect(parseCheckLine('{"type":"cell","verdict":"fine"}')).toMatchObject({
      verdict: 'failed',
      differences: [],
    });
  });
});
