import type { Token } from 'marked';

import { isOf } from '../blocks';

const inert = document.implementation.createHTMLDocument();

/** Elements whose text is not read. */
const SILENT = new Set(['space', 'def', 'hr', 'checkbox']);

/** The words of a block as they would be shown, without drawing it. */
export function plainText(token: Token): string {
  if (isOf(token, 'list')) {
    return token.items.map(item => join(item.tokens, '\n')).join('\n');
  }
  if (isOf(token, 'table')) {
    return [token.header, ...token.rows]
      .map(row =>
        row
          .map(cell => join(cell.tokens, ''))
          .join('\t')
          .trimEnd(),
      )
      .filter(row => row !== '')
      .join('\n');
  }
  if (isOf(token, 'code') || isOf(token, 'codespan') || token.type === 'escape') {
    return String(token.text);
  }
  if (isOf(token, 'image')) {
    return decoded(token.text);
  }
  if (token.type === 'html') {
    return decoded(token.raw.replace(/<!--[^]*?(?:-->|$)|<[^>]*>/g, '')).trim();
  }
  if (token.type === 'formula' || token.type === 'formula_block') {
    return token.raw.trim();
  }
  if (token.type === 'br') {
    return '\n';
  }
  if (SILENT.has(token.type)) {
    return '';
  }
  if ('tokens' in token && token.tokens !== undefined) {
    return join(token.tokens, token.type === 'blockquote' ? '\n\n' : '');
  }
  return decoded('text' in token ? String(token.text) : token.raw);
}

function join(tokens: readonly Token[] | undefined, between: string): string {
  return (tokens ?? [])
    .map(plainText)
    .filter(text => text !== '')
    .join(between);
}

/** A text with its character references, such as `&copy;`, replaced by the characters. */
function decoded(text: string): string {
  if (!text.includes('&')) {
    return text;
  }
  const field = inert.createElement('textarea');
  field.innerHTML = text;
  return field.value;
}
