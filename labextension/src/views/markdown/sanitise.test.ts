import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { cost } from '../../../tests/support/wait';
import { identity } from '../i18n';
import { lex } from './blocks';
import { MarkdownStream } from './stream';

const CORPUS = join(import.meta.dirname, '../../../../tests/fixtures/markdown/hostile');

const FILES = readdirSync(CORPUS).filter(name => name.endsWith('.md'));

const ELEMENTS = new Set(
  (
    'a b bdi blockquote br button code del details div em h1 h2 h3 h4 h5 h6 header hr i img input kbd ' +
    'li mark ol p pre s span strong sub summary sup svg table tbody td th thead tr u ul use dl dt dd'
  ).split(' '),
);

const ATTRIBUTES = new Set(
  (
    'alt align aria-hidden aria-label checked class colspan dir disabled hidden href lang open rel ' +
    'role rowspan scope src start tabindex target title type data-act data-address data-alt ' +
    'data-acp-cut data-acp-formula data-acp-language data-odd'
  ).split(' '),
);

/** Our own classes and names; an agent's text may not have any. */
const CLASSES = new Set(
  'acp-code acp-formula acp-odd acp-scroll btn cut grow i ico muted quiet r small'.split(' '),
);

const NAMES = new Set(['Code', 'Copy', 'Insert as cell below', 'Table', 'done', 'open']);

const EMBEDDED = /^data:image\/(png|jpeg|gif|webp);base64,/;

function draw(text: string, pieces: number): HTMLElement {
  const host = document.createElement('div');
  const stream = new MarkdownStream(host, {
    t: identity,
    controls: true,
    code: {
      copy: () => Promise.resolve(),
      cells: {
        activeCell: () => 1,
        insertBelow: () => Promise.resolve(),
        replaceActive: () => Promise.resolve(),
        onChange: () => () => undefined,
      },
    },
  });
  const size = Math.ceil(text.length / pieces);
  for (let start = 0; start < text.length; start += size) {
    stream.append(text.slice(start, start + size));
    while (stream.flush()) {
      // A frame's worth each.
    }
    check(host);
  }
  stream.finish();
  return host;
}

function check(host: HTMLElement): void {
  for (const element of host.querySelectorAll('*')) {
    expect(ELEMENTS, element.localName).toContain(element.localName);
    for (const { name, value } of element.attributes) {
      expect(ATTRIBUTES, `${element.localName} ${name}`).toContain(name);
      checkValue(element, name, value);
    }
  }
}

function checkValue(element: Element, name: string, value: string): void {
  if (name === 'href') {
    const own = element.localName === 'use' && value.startsWith('#acp-i-');
    expect(own || /^(https?:|mailto:)/i.test(value), value).toBe(true);
  } else if (name === 'src') {
    expect(value).toMatch(EMBEDDED);
  } else if (name === 'data-address') {
    expect(value).toMatch(/^https?:/);
    expect(element.localName).toBe('button');
  } else if (name === 'class') {
    value.split(' ').forEach(each => expect(CLASSES).toContain(each));
  } else if (name === 'aria-label') {
    expect(NAMES).toContain(value);
  } else if (name === 'type') {
    expect(['button', 'checkbox']).toContain(value);
  }
}

describe('hostile Markdown', () => {
  it('has a corpus', () => {
    expect(FILES.length).toBeGreaterThan(9);
  });

  it.each(FILES)('%s brings nothing that acts, loads or imitates', name => {
    const text = readFileSync(join(CORPUS, name), 'utf8');
    const whole = draw(text, 1);
    check(whole);
    const streamed = draw(text, 40);
    check(streamed);
    expect(streamed.innerHTML === whole.innerHTML, 'streamed as at once').toBe(true);
  });

  it('keeps what text says: direction marks stay in it and are shown, code is code', () => {
    const bidi = draw(readFileSync(join(CORPUS, 'bidi.md'), 'utf8'), 1);
    expect(bidi.querySelector('code')?.textContent).toContain('access = "user\u202e');
    const marks = [...bidi.querySelectorAll<HTMLElement>('code bdi.acp-odd')];
    expect(marks.map(mark => mark.dataset.odd)).toContain('U+202E');
    const fences = draw(readFileSync(join(CORPUS, 'fences.md'), 'utf8'), 1);
    expect(fences.querySelector('code')?.textContent).toContain('```html\n<script>');
  });

  it('offers no cell for a block whose end is missing', () => {
    const fences = draw(readFileSync(join(CORPUS, 'fences.md'), 'utf8'), 1);
    const boxes = [...fences.querySelectorAll('.acp-code')];
    const last = boxes[boxes.length - 1];
    expect(last?.textContent).toContain('never closed');
    expect(last?.querySelector('[data-act=insert], [data-act=replace]')).toBeNull();
    expect(boxes[0]?.querySelector('[data-act=insert]')).not.toBeNull();
  });

  it.each([
    ['\\[\n', 60_000],
    ['\\(', 60_000],
    ['$a ', 60_000],
    ['$$\n', 60_000],
    ['x\n\\[ y \\]\n', 15_000],
    ['\\[ y\n\n', 20_000],
  ])('takes time as its length does: %j %i times', (piece, times) => {
    // Most take less than a second; a pattern that is tried again at each position takes minutes.
    expect(cost(() => expect(lex(piece.repeat(times)).length).toBeGreaterThan(0))).toBeLessThan(
      8_000,
    );
  });
});
