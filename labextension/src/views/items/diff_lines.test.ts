import { describe, expect, it } from 'vitest';

import type { Diff } from '../../wire/types';
import { compare, piecesOf } from './diff_lines';

function diff(old_text: string | null, new_text: string): Diff {
  return {
    path: 'a.py',
    old_text,
    new_text,
    is_new_file: old_text === null,
    added: null,
    removed: null,
  };
}

describe('compare', () => {
  it('gives back both texts, whatever changed', () => {
    let seed = 7;
    const next = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
    for (let round = 0; round < 60; round += 1) {
      const text = () => Array.from({ length: next(40) }, () => `line ${next(8)}`).join('\n');
      const [before, after] = [text(), text()];
      const { lines, sections, added, removed } = compare(diff(before, after));
      const side = (kind: 'added' | 'removed') =>
        lines
          .filter(line => line.kind === 'context' || line.kind === kind)
          .map(line => line.text)
          .join('\n');
      expect(side('removed')).toBe(before);
      expect(side('added')).toBe(after);
      expect(lines.filter(line => line.kind === 'added')).toHaveLength(added);
      expect(lines.filter(line => line.kind === 'removed')).toHaveLength(removed);
      // The sections follow each other without a gap, and fold nothing that changed.
      let end = 0;
      for (const section of sections) {
        expect(section.start).toBe(end);
        end = section.end;
        expect(
          section.folded &&
            lines.slice(section.start, section.end).some(line => line.kind !== 'context'),
        ).toBe(false);
      }
      expect(end).toBe(lines.length);
    }
  });

  it('marks words only where a pair is more than half equal', () => {
    const made = compare(
      diff(
        'df.groupby(by).apply(fill)\nx = 1\n',
        'df.groupby(by).transform(fill)\nother = "text"\n',
      ),
    );
    const marks = made.lines.map(line =>
      piecesOf(made, line)
        .filter(piece => piece.changed)
        .map(piece => piece.text),
    );
    expect(marks).toEqual([['apply'], [], ['transform'], []]);
  });

  it('stays quick with a huge change', () => {
    const before = Array.from({ length: 20_000 }, (_, index) => `a ${index * 7}`).join('\n');
    const after = Array.from({ length: 20_000 }, (_, index) => `b ${index * 3}`).join('\n');
    const start = performance.now();
    const { added, removed } = compare(diff(before, after));
    expect(performance.now() - start).toBeLessThan(3_000);
    expect([added, removed]).toEqual([20_000, 20_000]);
  });

  it('shows a new file as added', () => {
    const made = compare(diff(null, 'a\nb\n'));
    expect(made.lines.map(line => [line.kind, line.before, line.after])).toEqual([
      ['added', null, 1],
      ['added', null, 2],
    ]);
  });
});
