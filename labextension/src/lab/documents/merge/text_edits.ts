import { diffArrays } from 'diff';

/** A comparison that takes longer, or finds more edits, becomes one replacement. */
const MAX_MILLISECONDS = 300;

const MAX_EDITS = 5_000;

/** Replaces the text from `start` to `end` by `value`. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

/** Replaces lines `start` to `end` of the first text by `lines`. */
interface Hunk {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** Edits that turn one text into another, the last first, so that all offsets stay valid. */
export function editsBetween(from: string, to: string): TextEdit[] {
  const before = linesOf(from);
  const starts = [0];
  for (const line of before) {
    starts.push((starts[starts.length - 1] ?? 0) + line.length);
  }
  return hunksBetween(before, linesOf(to))
    .map(hunk =>
      trimmed(from, {
        start: starts[hunk.start] ?? from.length,
        end: starts[hunk.end] ?? from.length,
        value: hunk.lines.join(''),
      }),
    )
    .reverse();
}

/** Merges two changes of one text, line by line; `null` on a conflict. */
export function mergeTexts(base: string, mine: string, theirs: string): string | null {
  if (mine === theirs || base === theirs) {
    return mine;
  }
  if (base === mine) {
    return theirs;
  }
  const lines = linesOf(base);
  const own = hunksBetween(lines, linesOf(mine));
  const other = hunksBetween(lines, linesOf(theirs));
  const added = other.filter(hunk => !own.some(each => same(each, hunk)));
  if (added.some(hunk => own.some(each => touch(each, hunk)))) {
    return null;
  }
  const merged: string[] = [];
  let at = 0;
  for (const hunk of [...own, ...added].sort((a, b) => a.start - b.start)) {
    merged.push(...lines.slice(at, hunk.start), ...hunk.lines);
    at = hunk.end;
  }
  return [...merged, ...lines.slice(at)].join('');
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

function hunksBetween(before: readonly string[], after: readonly string[]): Hunk[] {
  const changes = diffArrays([...before], [...after], {
    timeout: MAX_MILLISECONDS,
    maxEditLength: MAX_EDITS,
  });
  if (changes === undefined) {
    return [{ start: 0, end: before.length, lines: after }];
  }
  const hunks: Hunk[] = [];
  let at = 0;
  for (const { added, removed, value } of changes) {
    const end = added ? at : at + value.length;
    if (added || removed) {
      const last = hunks[hunks.length - 1];
      const lines = added ? value : [];
      if (last?.end === at) {
        hunks[hunks.length - 1] = { start: last.start, end, lines: [...last.lines, ...lines] };
      } else {
        hunks.push({ start: at, end, lines });
      }
    }
    at = end;
  }
  return hunks;
}

function same(one: Hunk, other: Hunk): boolean {
  return (
    one.start === other.start &&
    one.end === other.end &&
    one.lines.join('') === other.lines.join('')
  );
}

/** Whether two hunks overlap or are adjacent, which counts as a conflict. */
function touch(one: Hunk, other: Hunk): boolean {
  return one.start <= other.end && other.start <= one.end;
}

/** The edit without equal text at its ends, so that a cursor there stays. */
function trimmed(text: string, { start, end, value }: TextEdit): TextEdit {
  const old = text.slice(start, end);
  const most = Math.min(old.length, value.length);
  let head = 0;
  while (head < most && old[head] === value[head]) {
    head += 1;
  }
  // Surrogate pairs are not split.
  head -= /[\uD800-\uDBFF]/.test(old[head - 1] ?? '') ? 1 : 0;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === value[value.length - 1 - tail]) {
    tail += 1;
  }
  tail -= /[\uDC00-\uDFFF]/.test(old[old.length - tail] ?? '') ? 1 : 0;
  return { start: start + head, end: end - tail, value: value.slice(head, value.length - tail) };
}
