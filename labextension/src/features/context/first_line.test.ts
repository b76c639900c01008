import { expect, it } from 'vitest';

import { withName } from './first_line';

it('writes what does not go along into the first line, and takes it back', () => {
  const source = '%%acp claude --var df\nWhy is @cell 3 so?\n';
  const out = withName(source, 'cell 3', true);
  expect(out).toBe("%%acp claude --var df --without 'cell 3'\nWhy is @cell 3 so?\n");
  expect(withName(out, 'cell 3', true)).toBe(out);
  expect(withName(out, 'df', true)).toContain("--without 'cell 3' --without df\n");
  expect(withName(out, 'cell 3', false)).toBe(source);
});

it('knows other spellings, and leaves other names', () => {
  const source = '%%acp --without="cell 3" --without dfs --without df';
  expect(withName(source, 'cell 3', false)).toBe('%%acp --without dfs --without df');
  expect(withName(source, 'df', false)).toBe('%%acp --without="cell 3" --without dfs');
  expect(withName('%%acp', "it's.csv", true)).toBe(`%%acp --without 'it'"'"'s.csv'`);
  expect(withName('x = 1', 'df', true)).toBe('x = 1');
});
