import type { Links, Token, Tokens } from 'marked';

import { isOf, isVisible, lex } from '../blocks';

/** The block that the beginning of a text continues, if a very long block was cut. */
export interface Carry {
  /** Text to put before it: the head of a table. */
  readonly prefix: string;
  /** Number of the next item of a list. */
  readonly number: number | null;
  readonly continues: boolean;
}

export const NO_CARRY: Carry = { prefix: '', number: null, continues: false };

/** A part of a text that is drawn by itself: a block, or a part of a very long one. */
export interface BlockPart {
  readonly token: Token;
  /** Its source, and its offset in the text. */
  readonly raw: string;
  readonly start: number;
  readonly end: number;
  readonly carry: Carry;
  /** Whether another part of the same block follows. */
  readonly hasNext: boolean;
}

/** A longer block is cut, so that the cost of growing depends only on the new part. */
const LONGEST = 8_192;

/** Length of the parts. */
const PART = 4_096;

/**
 * The pieces of a text, in order; `null` if the lexer has changed the text, so that it can't be
 * cut.
 */
export function splitBlocks(text: string, carry: Carry, links: Links): BlockPart[] | null {
  const pieces: BlockPart[] = [];
  const tokens = lex(carry.prefix + text, links);
  if (!addUp(tokens, carry.prefix + text)) {
    return null;
  }
  let at = -carry.prefix.length;
  let from = carry;
  for (const token of tokens) {
    const start = Math.max(0, at);
    at += token.raw.length;
    if (isVisible(token)) {
      pieces.push(...partsOf(token, text.slice(start, at), start, from, links));
      from = NO_CARRY;
    }
  }
  return pieces;
}

/** Whether the tokens add up to the text; the lexer makes a blank after a final list a line end. */
function addUp(tokens: readonly Token[], text: string): boolean {
  const sum = tokens.map(({ raw }) => raw).join('');
  return sum === text || (sum.length === text.length && sum === `${text.slice(0, -1)}\n`);
}

/** The tokens of a piece, drawn as a part of its block. */
export function tokensOf({ raw, carry }: Pick<BlockPart, 'raw' | 'carry'>, links: Links): Token[] {
  const tokens = lex(carry.prefix + raw, links).filter(isVisible);
  asPart(tokens[0], carry);
  return tokens;
}

function partsOf(
  whole: Token,
  raw: string,
  start: number,
  carry: Carry,
  links: Links,
): BlockPart[] {
  const parts: BlockPart[] = [];
  let token = whole;
  let rest = raw;
  for (;;) {
    asPart(token, carry);
    const cut = rest.length > LONGEST ? cutOf(token, rest, carry) : null;
    const end = start + (cut?.length ?? rest.length);
    const part = rest.slice(0, end - start);
    const halves = cut === null ? null : halvesOf(token, cut.count);
    const drawn = cut === null ? token : (halves?.[0] ?? first(carry.prefix + part, links, token));
    asPart(drawn, carry);
    parts.push({ token: drawn, raw: part, start, end, carry, hasNext: cut !== null });
    if (cut === null) {
      return parts;
    }
    rest = rest.slice(cut.length);
    start = end;
    ({ carry } = cut);
    token = halves?.[1] ?? first(carry.prefix + rest, links, token);
  }
}

/** The parts of a list or table, from its tokens, since parsing again takes longer. */
function halvesOf(token: Token, count: number): [Token, Token] | null {
  // An item of a loose list without a blank line may become tight in another part.
  if (isOf(token, 'list') && !token.loose) {
    const { items } = token;
    return [
      { ...token, items: items.slice(0, count) },
      { ...token, items: items.slice(count) },
    ];
  }
  if (isOf(token, 'table')) {
    const { rows } = token;
    return [
      { ...token, rows: rows.slice(0, count) },
      { ...token, rows: rows.slice(count) },
    ];
  }
  return null;
}

function first(text: string, links: Links, other: Token): Token {
  return lex(text, links).find(isVisible) ?? other;
}

/** Adapts a token to its part: a list continues its numbers, a table has no head. */
function asPart(token: Token | undefined, { number, continues }: Carry): void {
  if (token === undefined) {
    return;
  }
  if (isOf(token, 'list') && number !== null) {
    token.start = number;
  } else if (isOf(token, 'table') && continues) {
    token.header = token.header.map(cell => ({ ...cell, text: '', tokens: [] }));
  }
}

interface Cut {
  readonly length: number;
  /** Number of items or rows in that length. */
  readonly count: number;
  /** The beginning of the rest. */
  readonly carry: Carry;
}

function cutOf(token: Token, raw: string, carry: Carry): Cut | null {
  if (token.type === 'paragraph') {
    return { length: wordBefore(raw), count: 0, carry: { ...NO_CARRY, continues: true } };
  }
  if (isOf(token, 'list')) {
    return listCut(token, carry);
  }
  if (token.type === 'table') {
    return tableCut(raw, carry);
  }
  // Fences grow by appending, whatever their length.
  const isIndented = isOf(token, 'code') && token.codeBlockStyle === 'indented';
  return isIndented || token.type === 'blockquote' ? atLine(raw) : null;
}

/** Offset at which a paragraph is cut: before a word, since a letter begins no other block. */
function wordBefore(raw: string): number {
  const found = /^[^]*[^\S\n](?=\p{L})/u.exec(raw.slice(0, PART))?.[0].length ?? 0;
  if (found > 0) {
    return found;
  }
  return /[\uD800-\uDBFF]/.test(raw.charAt(PART - 1)) ? PART - 1 : PART;
}

function listCut({ items, ordered, start }: Tokens.List, carry: Carry): Cut | null {
  let length = 0;
  let count = 0;
  for (const { raw } of items.slice(0, -1)) {
    length += raw.length;
    count += 1;
    if (length >= PART) {
      break;
    }
  }
  const begin = carry.number ?? (start === '' ? 1 : start);
  const number = ordered ? begin + count : null;
  return count === 0 ? null : { length, count, carry: { prefix: '', number, continues: true } };
}

function tableCut(raw: string, carry: Carry): Cut | null {
  const prefix = carry.prefix !== '' ? carry.prefix : (/^[^\n]*\n[^\n]*\n/.exec(raw)?.[0] ?? '');
  const length = raw.indexOf('\n', PART) + 1;
  const head = carry.prefix === '' ? 2 : 0;
  const count = raw.slice(0, length).split('\n').length - 1 - head;
  return prefix === '' || length <= prefix.length || length >= raw.length
    ? null
    : { length, count, carry: { prefix, number: null, continues: true } };
}

function atLine(raw: string): Cut | null {
  const length = raw.indexOf('\n', PART) + 1;
  return length === 0 || length >= raw.length
    ? null
    : { length, count: 0, carry: { ...NO_CARRY, continues: true } };
}
