import { isRecord } from '../../wire/read';
import type { ToolCall } from '../../wire/types';

/** A piece of a found line. */
export interface HitPiece {
  readonly text: string;
  readonly hit: boolean;
}

/** Where agents put what they search for. */
const NAMES = ['pattern', 'query', 'regex', 'search'];
const MAX_PATTERN = 200;
const MAX_LINE = 400;

/** What a search was for, as its input says; empty where it doesn't. */
export function patternOf({ raw_input: input }: ToolCall): string {
  if (!isRecord(input)) {
    return '';
  }
  const found = NAMES.map(name => input[name]).find(value => typeof value === 'string');
  return typeof found === 'string' ? found : '';
}

/** Splits lines where the pattern matches; a line is left whole where that can't be told. */
export function marker(pattern: string): (line: string) => readonly HitPiece[] {
  const exact = expression(pattern, 'g');
  const loose = expression(pattern, 'gi');
  return line => {
    const pieces = exact === null ? [] : piecesOf(line, exact);
    // The line was found, so it matches in some way.
    return pieces.length > 1 || loose === null
      ? orWhole(pieces, line)
      : orWhole(piecesOf(line, loose), line);
  };
}

function orWhole(pieces: readonly HitPiece[], line: string): readonly HitPiece[] {
  return pieces.length > 0 ? pieces : [{ text: line, hit: false }];
}

function piecesOf(line: string, pattern: RegExp): HitPiece[] {
  const pieces: HitPiece[] = [];
  let end = 0;
  for (const match of line.slice(0, MAX_LINE).matchAll(pattern)) {
    if (match[0] !== '') {
      pieces.push({ text: line.slice(end, match.index), hit: false });
      pieces.push({ text: match[0], hit: true });
      end = match.index + match[0].length;
    }
  }
  pieces.push({ text: line.slice(end), hit: false });
  return pieces.filter(({ text }) => text !== '');
}

/**
 * The pattern as an expression, where it cannot run for long.
 *
 * The agent wrote it: groups and many quantifiers may take time that grows
 * without bounds, so they are looked for as plain text.
 */
function expression(pattern: string, flags: string): RegExp | null {
  if (pattern === '' || pattern.length > MAX_PATTERN) {
    return null;
  }
  const isTame = !/\(|\\[1-9k]/.test(pattern) && (pattern.match(/[*+?{]/g) ?? []).length <= 2;
  try {
    return new RegExp(isTame ? pattern : escaped(pattern), flags);
  } catch {
    return new RegExp(escaped(pattern), flags);
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
