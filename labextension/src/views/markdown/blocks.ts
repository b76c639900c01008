import { Marked, type Token } from 'marked';

const marked = new Marked({ gfm: true, breaks: false, async: false });

/** A top-level Markdown block and the HTML of it, not yet sanitised. */
export interface BlockSource {
  readonly token: Token;
  readonly html: string;
}

/** Line ends as the lexer wants them, so that its tokens add up to the text. */
export function normaliseLines(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** The tokens of a text at top level; their `raw` add up to it. */
export function lex(source: string): Token[] {
  return marked.lexer(source);
}

/** The HTML of one token. */
export function htmlOf(token: Token): string {
  return marked.parser([token]);
}

/** Whether a token shows at all. */
export function isVisible(token: Token): boolean {
  return token.type !== 'space' && token.type !== 'def';
}

/** The blocks of a whole text. */
export function blocksOf(source: string): BlockSource[] {
  return lex(source)
    .filter(isVisible)
    .map(token => ({ token, html: htmlOf(token) }));
}
