import type { TokenizerAndRendererExtension } from 'marked';

/** Attribute of the source of a formula; one that is not typeset stays readable. */
export const FORMULA = 'data-acp-formula';

/** Each stops at the next delimiter, so that a text full of them takes linear time. */
const INLINE = [
  // As in Pandoc: no space just inside, no word just after, so that prices and `$A:$B` stay text.
  /^\$(?![\s$])(?:\\[^\n]|[^$\\\n]|\n(?![ \t]*\n)){1,1000}?\$(?!\w)/,
  /^\$\$(?!\s*\$)(?:\\[^\n]|[^$\\\n]|\n(?![ \t]*\n)){1,4000}?\$\$/,
  /^\\\((?:[^\\\n]|\\[^()\n]|\n(?![ \t]*\n)){1,1000}?\\\)/,
  // With a space or a command inside: `\[1]\]` is an escaped bracket.
  /^\\\[(?=[\s\\])(?:[^\\\n]|\\[^[\]\n]|\n(?![ \t]*\n)){1,4000}?\\\]/,
];

const BLOCK = [
  /^ {0,3}\$\$(?:\\[^\n]|[^$\\\n]|\n(?![ \t]*\n)){1,4000}?\$\$[ \t]*(?:\n+|$)/,
  /^ {0,3}\\\[(?!\w*\\\])(?:[^\\\n]|\\[^[\]\n]|\n(?![ \t]*\n)){1,4000}?\\\][ \t]*(?:\n+|$)/,
];

/** Where an inline formula may begin: not inside a word or an amount. */
const BEGIN = /(?<![\w$\\])\$|\\[([]/g;

/** Distance in which the start of a formula is searched, since the lexer asks at each token. */
const REACH = 2_000;

/** Number of possible starts that are tried, since the lexer asks again at each token. */
const MAX_TRIES = 6;

/** Longest formula. */
const LONGEST = 4_100;

function firstMatch(patterns: readonly RegExp[], source: string): string | null {
  for (const pattern of patterns) {
    const raw = pattern.exec(source)?.[0];
    if (raw !== undefined) {
      return raw;
    }
  }
  return null;
}

/** The formula at the start of a text. */
function formulaAt(source: string): string | null {
  const raw = firstMatch(INLINE, source);
  const isAmount = raw !== null && /^\$[^$]/.test(raw) && /\s\$$/.test(raw);
  return isAmount ? null : raw;
}

function isDisplayed(raw: string): boolean {
  return raw.startsWith('$$') || raw.startsWith('\\[');
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** Formulas as separate tokens, since nothing in them is Markdown. */
export const mathematics: TokenizerAndRendererExtension[] = [
  {
    name: 'formula',
    level: 'inline',
    start(source) {
      const near = source.slice(0, REACH);
      let tries = 0;
      for (const { index } of near.matchAll(BEGIN)) {
        tries += 1;
        if (tries === MAX_TRIES || formulaAt(source.slice(index, index + LONGEST)) !== null) {
          return index;
        }
      }
      // Without a formula nearby the lexer only splits the text here.
      return near.length < source.length ? REACH : undefined;
    },
    tokenizer(source, before) {
      const last = before[before.length - 1]?.raw ?? '';
      if (source.startsWith('$') && /[\w$\\]$/.test(last)) {
        return undefined;
      }
      const raw = formulaAt(source);
      return raw === null ? undefined : { type: 'formula', raw };
    },
    renderer: ({ raw }) =>
      `<span ${FORMULA}="${isDisplayed(raw) ? 'block' : 'inline'}">${escaped(raw)}</span>`,
  },
  {
    name: 'formula_block',
    level: 'block',
    // No `start`: inside a paragraph a formula is inline, and splitting paragraphs takes time.
    tokenizer(source) {
      const raw = firstMatch(BLOCK, source.slice(0, LONGEST));
      return raw === null ? undefined : { type: 'formula_block', raw };
    },
    renderer: ({ raw }) => `<div ${FORMULA}="block">${escaped(raw.trim())}</div>\n`,
  },
];
