import { removeMath } from '@jupyterlab/rendermime/lib/latex';
import { Marked } from 'marked';
import type { Token } from 'marked';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { isRecord } from '../../wire/read';

const FILE: unknown = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../tests/golden/closed_markdown.json'), 'utf8'),
);

/** Messages, and the saved text of each. */
const RECORDS = Object.entries(isRecord(FILE) ? FILE : {}).map(([message, markdown]) => ({
  message,
  markdown: String(markdown),
}));

const AFTER = '\n\n# A heading after it\n\nA paragraph after it.\n\n$$\ny\n$$\n';

const marked = new Marked({ gfm: true });

/** The blocks that JupyterLab finds after it has removed the formulas. */
function blocksOf(markdown: string): Token[] {
  return marked.lexer(removeMath(markdown).text).filter(token => token.type !== 'space');
}

function kindsIn(tokens: Token[]): Set<string> {
  const kinds = new Set<string>();
  void marked.walkTokens(tokens, token => {
    kinds.add(token.type);
  });
  return kinds;
}

describe("an agent's message in a saved notebook", () => {
  it('has examples', () => {
    expect(RECORDS.length).toBeGreaterThan(100);
  });

  it.each(RECORDS)('ends where it ends: $message', ({ markdown }) => {
    const blocks = blocksOf(markdown + AFTER);
    const [heading, paragraph] = blocks.slice(-3);
    expect(heading).toMatchObject({ type: 'heading', text: 'A heading after it' });
    expect(paragraph).toMatchObject({ type: 'paragraph', text: 'A paragraph after it.' });
  });

  it.each(RECORDS)('brings no HTML and no image: $message', ({ markdown }) => {
    // Except the `<span>` that keeps a price from becoming a formula.
    const kinds = kindsIn(blocksOf(markdown.replaceAll('<span>&#36;</span>', '&#36;')));
    expect(kinds).not.toContain('html');
    expect(kinds).not.toContain('image');
  });
});
