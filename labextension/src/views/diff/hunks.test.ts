import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { examples } from '../../../tests/support/generated';
import type { Diff, Hunk } from '../../wire/types';
import { compareCells } from './compare_cells';
import { compare, endOfLine } from './compare_lines';
import { changesIn, hunksOf } from './hunks';

function diff(path: string, old_text: string, new_text: string): Diff {
  return {
    ...{ path, old_text, new_text, is_new_file: false },
    ...{ old_line: 1, new_line: 1, added: null, removed: null },
  };
}

/** As the server does it: parts of one side replace parts of the other. */
function without<T>(before: readonly T[], after: readonly T[], hunks: readonly Hunk[]): T[] {
  const made: T[] = [];
  let at = 0;
  for (const hunk of [...hunks].sort(
    (a, b) => a.new_start - b.new_start || a.new_end - b.new_end || a.old_start - b.old_start,
  )) {
    expect(hunk.new_start).toBeGreaterThanOrEqual(at);
    made.push(...after.slice(at, hunk.new_start), ...before.slice(hunk.old_start, hunk.old_end));
    at = hunk.new_end;
  }
  return [...made, ...after.slice(at)];
}

const bare = (text: string) => (text.match(/[^\n]*\n|[^\n]+/g) ?? []).map(l => l.replace('\n', ''));

const text = fc
  .array(fc.constantFrom('a', 'b', '\n', '\r\n', '\r', 'long\nlines\nin\nit\nthat\nfold\nx\ny\n'), {
    maxLength: 14,
  })
  .map(parts => parts.join(''));

describe('taking back all that is shown of a text', () => {
  it('gives its lines as they were, with their ends', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const hunks = changesIn(diff('a.txt', before, after));
        expect(without(bare(before), bare(after), hunks)).toEqual(bare(before));
        // A line end at the end of the file belongs to the last line.
        if (before !== '' && after !== '' && before.endsWith('\n') !== after.endsWith('\n')) {
          const last = hunks[hunks.length - 1];
          expect([last?.old_end, last?.new_end]).toContain(
            before.endsWith('\n') ? bare(after).length : bare(before).length,
          );
        }
      }),
      {
        ...examples(1000),
        examples: [
          ['a\r\nb\r\n', 'a\nb\n'],
          ['a\nb\n', 'a\nb'],
          ['a\rb\n', 'a\nb\n'],
        ],
      },
    );
  });

  it('says how lines end where only that changed', () => {
    const ends = (before: string, after: string) => {
      const made = compare(diff('a.txt', before, after));
      return made?.lines.map(line => endOfLine(made, line));
    };
    expect(ends('a\nb\n', 'a\r\nb\n')).toEqual(['LF', 'CRLF', null]);
    expect(ends('a\nb\n', 'a\nb')).toEqual([null, 'LF', 'none']);
    expect(ends('a\n', 'b\n')).toEqual([null, null]);
  });
});

interface Cell {
  readonly id?: string;
  readonly source: string;
}

const cell = (id: number) =>
  fc.record({
    id: fc.constant(`c${id}`),
    cell_type: fc.constantFrom('code', 'markdown'),
    source: fc.constantFrom('x', 'y', 'z\nx'),
    metadata: fc.constantFrom({}, { tags: ['a'] }, { collapsed: true }),
    outputs: fc.constantFrom([], [1]),
    execution_count: fc.constantFrom(null, 1),
    attachments: fc.constantFrom({}, { 'a.png': { 'image/png': 'AA' } }),
  });

const cells = fc
  .shuffledSubarray([0, 1, 2, 3, 4, 5, 6])
  .chain(ids => fc.tuple(...ids.map(cell)))
  .map((made): readonly Cell[] => made);

const notebook = (made: readonly Cell[], metadata: object) =>
  JSON.stringify({ cells: made, metadata, nbformat: 4 });

describe('taking back all that is shown of a notebook', () => {
  it('gives the notebook as it was: order, metadata, outputs, attachments', () => {
    fc.assert(
      fc.property(cells, cells, fc.boolean(), fc.boolean(), (old, now, named, tagged) => {
        const strip = (made: readonly Cell[]): readonly Cell[] =>
          named ? made : made.map(each => ({ ...each, id: '' }));
        const [before, after] = [strip(old), strip(now)];
        const pair = diff(
          'a.ipynb',
          notebook(before, {}),
          notebook(after, tagged ? { tags: 1 } : {}),
        );
        const hunks = changesIn(pair);
        expect(without(before, after, hunks)).toEqual(before);
        const around = hunks.filter(each => each.old_end + each.new_end === 0);
        expect(around).toHaveLength(tagged ? 1 : 0);
        // Reverting one part leaves the cells of the others; no cell is there twice.
        for (const hunk of named ? hunks : []) {
          const ids = without(before, after, [hunk]).map(({ id }) => id);
          expect(new Set(ids).size).toBe(ids.length);
        }
        const same = (compareCells(pair)?.rows ?? []).map(row =>
          row.kind === 'same' ? row.count : row.range.new_end - row.range.new_start,
        );
        if (pair.old_text !== pair.new_text) {
          expect(same.reduce((sum, count) => sum + count, 0)).toBe(after.length);
        }
      }),
      examples(1000),
    );
  });
});

describe('the lines that a hunk is named after', () => {
  it.each([
    ['fewer than before', 'a\nb\nc\nd\nz\n', 'a\nX\nz\n', [2, 4]],
    ['more than before', 'a\nb\nz\n', 'a\nX\nY\nW\nz\n', [2, 4]],
    ['as many', 'a\nb\nc\nz\n', 'a\nX\nY\nz\n', [2, 3]],
    ['none', 'a\nb\nc\nz\n', 'a\nz\n', [2, 3]],
  ])('are all of them, where there are %s', (_, before, after, lines) => {
    const comparison = compare(diff('a.txt', before, after));
    const [hunk] = comparison === null ? [] : hunksOf(comparison);
    expect([hunk?.first, hunk?.last]).toEqual(lines);
  });
});
