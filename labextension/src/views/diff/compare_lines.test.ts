import { describe, expect, it } from 'vitest';

import { cost } from '../../../tests/support/wait';
import type { Diff } from '../../wire/types';
import { compare as compareOrNot, piecesOf } from './compare_lines';
import type { Comparison } from './compare_lines';
import { hunksOf } from './hunks';

function diff(old_text: string | null, new_text: string): Diff {
  return {
    path: 'a.py',
    old_text,
    new_text,
    is_new_file: old_text === null,
    old_line: 1,
    new_line: 1,
    added: null,
    removed: null,
  };
}

function compare(pair: Diff): Comparison {
  const made = compareOrNot(pair);
  if (made === null) {
    throw new Error('not compared');
  }
  return made;
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
      // The sections follow each other without a gap, and fold no changed lines.
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
    const comparing = cost(() => {
      const { added, removed } = compare(diff(before, after));
      expect([added, removed]).toEqual([20_000, 20_000]);
    });
    expect(comparing).toBeLessThan(3_000);
  });

  it('shows a new file as added', () => {
    const made = compare(diff(null, 'a\nb\n'));
    expect(made.lines.map(line => [line.kind, line.before, line.after])).toEqual([
      ['added', null, 1],
      ['added', null, 2],
    ]);
  });
});

describe('texts that are too big', () => {
  const big = (letter: string) => `${letter.repeat(99)}\n`.repeat(100_000);

  it('are not compared', () => {
    const [before, after] = [big('a'), big('b')];
    const looking = cost(() => {
      expect(compareOrNot(diff(before, after))).toBeNull();
      expect(compareOrNot(diff('\n'.repeat(60_000), '\n'.repeat(60_000)))).toBeNull();
    });
    expect(looking).toBeLessThan(1_000);
  });

  it('take bounded time up to there', () => {
    const text = (seed: number) =>
      Array.from({ length: 49_000 }, (_, line) => `${(line * seed) % 977} some words`).join('\n');
    expect(cost(() => compare(diff(text(7), text(11))))).toBeLessThan(3_000);
  });
});

describe('hunks', () => {
  it('are the ranges between which the texts are equal', () => {
    let seed = 3;
    const next = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
    let seen = 0;
    for (let round = 0; round < 60; round += 1) {
      const before = Array.from({ length: 40 }, (_, line) => `line ${line}`);
      const after = before.flatMap(line =>
        next(9) === 0 ? [] : next(9) === 0 ? ['new', 'lines'] : [line],
      );
      const made = compare(diff(before.join('\n'), after.join('\n')));
      const hunks = hunksOf(made).flatMap(hunk => hunk ?? []);
      // Reverted from the last to the first, they give the text before.
      const back = [...after];
      for (const { range } of [...hunks].reverse()) {
        back.splice(
          range.new_start,
          range.new_end - range.new_start,
          ...before.slice(range.old_start, range.old_end),
        );
      }
      expect(back).toEqual(before);
      seen += hunks.length;
    }
    expect(seen).toBeGreaterThan(100);
  });

  it('are named by their lines', () => {
    const text = Array.from({ length: 30 }, (_, line) => `${line + 1}`);
    const after = ['x', ...text.slice(1, 19), ...text.slice(21)];
    const hunks = hunksOf(compare(diff(text.join('\n'), after.join('\n'))));
    expect(hunks.map(hunk => hunk && [hunk.first, hunk.last])).toEqual([
      [1, 1],
      null,
      [20, 21],
      null,
    ]);
  });
});
