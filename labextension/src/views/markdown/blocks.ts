import { Lexer, Marked } from 'marked';
import type { Links, Token, Tokens } from 'marked';

import { mathematics } from './math';

/** Attribute of a code block that was not closed yet. */
export const CUT = 'data-acp-cut';

const marked = new Marked({ gfm: true, breaks: false, async: false });

marked.use({
  extensions: mathematics,
  renderer: { code: token => (isCut(token) ? markCut(token) : false) },
});

/** Whether a code block is an unclosed fence, so that more code may follow. */
function isCut({ raw, codeBlockStyle }: Tokens.Code): boolean {
  const opening = /^ {0,3}(`{3,}|~{3,})/.exec(raw)?.[1];
  if (codeBlockStyle === 'indented' || opening === undefined) {
    return false;
  }
  const lines = raw.trimEnd().split('\n');
  const end = (lines[lines.length - 1] ?? '').trim();
  const closes = end.length >= opening.length && end === (opening[0] ?? '').repeat(end.length);
  return lines.length < 2 || !closes;
}

function markCut({ text, lang }: Tokens.Code): string {
  const language = /^\S*/.exec(lang ?? '')?.[0] ?? '';
  const name = language === '' ? '' : ` class="language-${escapeHtml(language)}"`;
  return `<pre ${CUT}=""><code${name}>${escapeHtml(text.replace(/\n$/, ''))}\n</code></pre>\n`;
}

function escapeHtml(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;');
}

/** Normalises line ends, so that the lexer's tokens add up to the text. */
export function normaliseLines(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/**
 * The top-level tokens of a text; their `raw` texts add up to it. Link definitions may be
 * elsewhere.
 */
export function lex(source: string, links: Links = {}): Token[] {
  const lexer = new Lexer(marked.defaults);
  Object.assign(lexer.tokens.links, links);
  return lexer.lex(source);
}

/** The links that a text defines, anywhere in it. */
export function linksOf(source: string): Links {
  const lexer = new Lexer(marked.defaults);
  lexer.blockTokens(source, lexer.tokens);
  return lexer.tokens.links;
}

/** The HTML of one token, not yet sanitised. */
export function htmlOf(token: Token): string {
  return marked.parser([token]);
}

/** Whether a token is visible. */
export function isVisible(token: Token): boolean {
  return token.type !== 'space' && token.type !== 'def';
}

interface Known {
  readonly code: Tokens.Code;
  readonly codespan: Tokens.Codespan;
  readonly image: Tokens.Image;
  readonly list: Tokens.List;
  readonly table: Tokens.Table;
}

/** Whether a token is of a type that Markdown itself has. */
export function isOf<Type extends keyof Known>(token: Token, type: Type): token is Known[Type] {
  return token.type === type;
}
