import { diffArrays, diffWordsWithSpace } from 'diff';

import type { Diff } from '../../wire/types';

/** Number of unchanged lines shown before and after a change. */
const CONTEXT = 3;

/** A comparison that takes longer, or finds more edits, becomes one replacement. */
const MAX_MILLISECONDS = 200;

const MAX_EDITS = 5_000;

/** Longer pairs of texts are not compared in the page. */
const MAX_TEXT = 4_000_000;

const MAX_LINES = 100_000;

/** Longer lines get no word marks. */
const MAX_MARKED_LINE = 500;

/** Marks a missing line feed at the end of a text; lines don't contain it. */
const NO_END = '\n';

/** A piece of a line; `changed` if it differs from the other side. */
export interface Piece {
  readonly text: string;
  readonly changed: boolean;
}

/** How a line ends; `none` for the last line of a text. */
export type LineEnd = 'LF' | 'CRLF' | 'none';

export interface DiffLine {
  readonly kind: 'context' | 'added' | 'removed';
  /** The line without its line end. */
  readonly text: string;
  readonly end: LineEnd;
  /** Line numbers, from 1; `null` on the side that has no such line. */
  readonly before: number | null;
  readonly after: number | null;
  /** Index of the line that it replaces or that replaces it, if there is one. */
  pair: number | null;
}

/** A range of lines: shown, or unchanged and folded. */
export interface Section {
  readonly folded: boolean;
  readonly start: number;
  readonly end: number;
}

export interface Comparison {
  readonly lines: readonly DiffLine[];
  readonly sections: readonly Section[];
  readonly added: number;
  readonly removed: number;
}

const known = new WeakMap<Diff, Comparison | null>();

/** Compares the texts of a diff, once; `null` if they are too big. */
export function compare(diff: Diff): Comparison | null {
  let comparison = known.get(diff);
  if (comparison === undefined) {
    comparison = compareTexts(diff.old_text ?? '', diff.new_text, diff);
    known.set(diff, comparison);
  }
  return comparison;
}

/** Splits a line into pieces, marking changed words if the paired lines are more than half equal. */
export function piecesOf(comparison: Comparison, line: DiffLine): Piece[] {
  const other = line.pair === null ? undefined : comparison.lines[line.pair];
  const whole = [{ text: line.text, changed: false }];
  if (other === undefined || Math.max(line.text.length, other.text.length) > MAX_MARKED_LINE) {
    return whole;
  }
  const removed = line.kind === 'removed';
  const [before, after] = removed ? [line.text, other.text] : [other.text, line.text];
  const changes = diffWordsWithSpace(before, after, { maxEditLength: 200 });
  if (changes === undefined) {
    return whole;
  }
  const equal = changes
    .filter(change => !change.added && !change.removed)
    .reduce((sum, change) => sum + change.value.trim().length, 0);
  if (equal * 2 <= Math.max(before.trim().length, after.trim().length)) {
    return whole;
  }
  return changes
    .filter(change => !(removed ? change.added : change.removed))
    .map(change => ({ text: change.value, changed: change.added || change.removed }));
}

/** Compares two texts line by line; `null` if they are too big. */
export function compareTexts(
  oldText: string,
  newText: string,
  { old_line, new_line }: Partial<Diff> = {},
): Comparison | null {
  if (oldText.length + newText.length > MAX_TEXT) {
    return null;
  }
  const before = linesOf(oldText);
  const after = linesOf(newText);
  noteLastEnd(oldText, before, newText);
  noteLastEnd(newText, after, oldText);
  if (before.length + after.length > MAX_LINES) {
    return null;
  }
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) {
    head += 1;
  }
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  ) {
    tail += 1;
  }
  const lines = new Lines(old_line ?? 1, new_line ?? 1);
  before.slice(0, head).forEach(text => lines.keep(text));
  const oldMiddle = before.slice(head, before.length - tail);
  const newMiddle = after.slice(head, after.length - tail);
  const changes = diffArrays(oldMiddle, newMiddle, {
    timeout: MAX_MILLISECONDS,
    maxEditLength: MAX_EDITS,
  }) ?? [
    { removed: true, added: false, value: oldMiddle },
    { removed: false, added: true, value: newMiddle },
  ];
  for (const { added, removed, value } of changes) {
    value.forEach(text => {
      if (added) {
        lines.add(text);
      } else if (removed) {
        lines.remove(text);
      } else {
        lines.keep(text);
      }
    });
  }
  before.slice(before.length - tail).forEach(text => lines.keep(text));
  pairUp(lines.all);
  return {
    lines: lines.all,
    sections: sectionsOf(lines.all),
    added: lines.all.filter(line => line.kind === 'added').length,
    removed: lines.all.filter(line => line.kind === 'removed').length,
  };
}

/** Splits at line feeds, as the server does; a carriage return belongs to its line. */
function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines[lines.length - 1] === '') {
    lines.pop();
  }
  return lines;
}

/** Marks the last line if it lacks the line feed that the other text ends with. */
function noteLastEnd(text: string, lines: string[], other: string): void {
  const last = lines[lines.length - 1];
  if (last !== undefined && other.endsWith('\n') && !text.endsWith('\n')) {
    lines[lines.length - 1] = last + NO_END;
  }
}

/** The line end, if it is not the one of the paired line; `null` if it is. */
export function endOfLine(comparison: Comparison, line: DiffLine): LineEnd | null {
  const other = line.pair === null ? undefined : comparison.lines[line.pair];
  return line.kind === 'context' || line.end === (other?.end ?? 'LF') ? null : line.end;
}

class Lines {
  readonly all: DiffLine[] = [];

  /** Starts with the numbers of the first lines. */
  constructor(
    private before: number,
    private after: number,
  ) {}

  keep(text: string): void {
    this.push('context', text, this.before++, this.after++);
  }

  add(text: string): void {
    this.push('added', text, null, this.after++);
  }

  remove(text: string): void {
    this.push('removed', text, this.before++, null);
  }

  private push(
    kind: DiffLine['kind'],
    line: string,
    before: number | null,
    after: number | null,
  ): void {
    const end = line.endsWith(NO_END) ? 'none' : line.endsWith('\r') ? 'CRLF' : 'LF';
    const text = end === 'LF' ? line : line.slice(0, -1);
    this.all.push({ kind, text, end, before, after, pair: null });
  }
}

/** Pairs the removed and added lines of each change in order. */
function pairUp(lines: readonly DiffLine[]): void {
  let removed: number[] = [];
  let taken = 0;
  lines.forEach((line, index) => {
    if (line.kind === 'removed') {
      if (taken > 0) {
        removed = [];
        taken = 0;
      }
      removed.push(index);
    } else if (line.kind === 'added') {
      const partner = removed[taken];
      const former = partner === undefined ? undefined : lines[partner];
      taken += 1;
      if (partner !== undefined && former !== undefined) {
        line.pair = partner;
        former.pair = index;
      }
    } else {
      removed = [];
      taken = 0;
    }
  });
}

function sectionsOf(lines: readonly DiffLine[]): Section[] {
  const shown = new Array<boolean>(lines.length).fill(false);
  lines.forEach((line, index) => {
    if (line.kind !== 'context') {
      shown.fill(true, Math.max(0, index - CONTEXT), index + CONTEXT + 1);
    }
  });
  const sections: Section[] = [];
  let start = 0;
  for (let index = 1; index <= lines.length; index += 1) {
    if (index === lines.length || shown[index] !== shown[start]) {
      // A fold would take as much room as one line.
      const folded = shown[start] !== true && index - start > 1;
      sections.push({ folded, start, end: index });
      start = index;
    }
  }
  return joined(sections);
}

function joined(sections: readonly Section[]): Section[] {
  const result: Section[] = [];
  for (const section of sections) {
    const last = result[result.length - 1];
    if (last !== undefined && !last.folded && !section.folded) {
      result[result.length - 1] = { ...last, end: section.end };
    } else {
      result.push(section);
    }
  }
  return result;
}
