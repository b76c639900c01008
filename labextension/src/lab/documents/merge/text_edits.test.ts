import { describe, expect, it } from 'vitest';

import { editsBetween, mergeTexts } from './text_edits';

function applied(from: string, to: string): string {
  return editsBetween(from, to).reduce(
    (text, { start, end, value }) => text.slice(0, start) + value + text.slice(end),
    from,
  );
}

describe('editsBetween', () => {
  it.each([
    ['', ''],
    ['', 'a'],
    ['a', ''],
    ['a\nb\nc\n', 'a\nB\nc\n'],
    ['a\nb\nc', 'c\nb\na'],
    ['x = 1\ny = 2\n', 'x = 1\ny = 22\nz = 3\n'],
    ['😀', '😁'],
    ['a😀b', 'a😁b'],
    ['aaaa', 'aa'],
  ])('makes %j into %j', (from, to) => {
    expect(applied(from, to)).toBe(to);
  });

  it('touches only what differs', () => {
    expect(editsBetween('one\ntwo\nthree\n', 'one\ntwelve\nthree\n')).toEqual([
      { start: 6, end: 7, value: 'elve' },
    ]);
  });

  it('cuts no character in two', () => {
    // Both begin with the same code unit.
    expect(editsBetween('😀', '😁')).toEqual([{ start: 0, end: 2, value: '😁' }]);
    // Both end with the same.
    expect(editsBetween('\u{1F600}', '\u{1FA00}')).toEqual([
      { start: 0, end: 2, value: '\u{1FA00}' },
    ]);
  });

  it('ends on long texts that have nothing in common', () => {
    const from = Array.from({ length: 20_000 }, (_, index) => `a${index}\n`).join('');
    const to = Array.from({ length: 20_000 }, (_, index) => `b${index}\n`).join('');
    expect(applied(from, to)).toBe(to);
  });
});

describe('mergeTexts', () => {
  const base = 'a\nb\nc\nd\ne\n';

  it.each([
    [base, base, base],
    ['A\nb\nc\nd\ne\n', base, 'A\nb\nc\nd\ne\n'],
    [base, 'a\nb\nc\nd\nE\n', 'a\nb\nc\nd\nE\n'],
    ['A\nb\nc\nd\ne\n', 'a\nb\nc\nd\nE\n', 'A\nb\nc\nd\nE\n'],
    ['new\na\nb\nc\nd\ne\n', 'a\nb\nc\nd\n', 'new\na\nb\nc\nd\n'],
    ['a\nX\nc\nd\ne\n', 'a\nX\nc\nd\nE\n', 'a\nX\nc\nd\nE\n'],
    ['same\n', 'same\n', 'same\n'],
  ])('joins %j and %j', (mine, theirs, expected) => {
    expect(mergeTexts(base, mine, theirs)).toBe(expected);
    expect(mergeTexts(base, theirs, mine)).toBe(expected);
  });

  it.each([
    ['a\nX\nc\nd\ne\n', 'a\nY\nc\nd\ne\n'],
    ['a\nX\nc\nd\ne\n', 'a\nb\nY\nd\ne\n'],
    [`${base}f\n`, `${base}g\n`],
    ['', 'a\nB\nc\nd\ne\n'],
  ])('leaves %j and %j to the user', (mine, theirs) => {
    expect(mergeTexts(base, mine, theirs)).toBeNull();
  });
});
