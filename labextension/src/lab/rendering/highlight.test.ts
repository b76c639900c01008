import { python } from '@codemirror/lang-python';
import { describe, expect, it, vi } from 'vitest';

import { Highlighter } from '../../colours/highlighter';
import { parsersOf } from './highlight';

/** Knows Python by the ending of a file. */
function highlighter() {
  const spec = { name: 'python', mime: 'text/x-python' };
  const known = {
    findByName: () => null,
    findByExtension: () => null,
    findByFileName: (name: string) => (name.endsWith('.py') ? spec : null),
    getLanguage: vi.fn(() => Promise.resolve({ ...spec, support: python() })),
  };
  return { known, made: new Highlighter(parsersOf(known)) };
}

const TEXT = 'def total(a):\r\n    """Words\n    for all."""\n    return 12 # sum\n';

describe('the colours of a file', () => {
  it('are those of each line, within what goes over several too', async () => {
    const { made } = highlighter();
    const colours = await made.lines(TEXT, 'src/clean.py');
    const looks = (line: number) =>
      (colours?.(line) ?? []).filter(run => run.class !== '').map(run => [run.class, run.text]);
    expect(looks(1)).toEqual([
      ['k', 'def'],
      ['f', 'total'],
    ]);
    expect(looks(2)).toEqual([['str', '"""Words']]);
    expect(looks(3)).toEqual([['str', '    for all."""']]);
    expect(looks(4)).toEqual([
      ['k', 'return'],
      ['n', '12'],
      ['c', '# sum'],
    ]);
    const lines = [1, 2, 3, 4].map(line => (colours?.(line) ?? []).map(run => run.text).join(''));
    expect(lines).toEqual(TEXT.split(/\r?\n/).slice(0, 4));
    expect(colours?.(0)).toBeNull();
    expect(colours?.(9)).toBeNull();
  });

  it('are read once, and not at all of what nobody knows or is very long', async () => {
    const { known, made } = highlighter();
    await Promise.all([made.lines(TEXT, 'a.py'), made.lines(TEXT, 'a.py')]);
    expect(known.getLanguage).toHaveBeenCalledOnce();
    expect(await made.lines(TEXT, 'notes.unknown')).toBeNull();
    expect(await made.lines('x\n'.repeat(150_000), 'a.py')).toBeNull();
  });
});
