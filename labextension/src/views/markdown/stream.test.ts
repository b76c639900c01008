import { describe, expect, it } from 'vitest';

import { identity } from '../i18n';
import { MarkdownStream } from './stream';

const SAMPLES = [
  'One line only',
  '# Title\n\nSome *text* with `code` and **bold**.\n\n- one\n- two\n\n  still two\n\n1. a\n2. b\n',
  'Setext\n===\n\nfoo [link][ref] and [bad](javascript:alert(1)).\n\nmore\n\n[ref]: https://example.org "x"\n',
  'Before\n\n```python\nfor i in range(3):\n    print(i)\n\n\n```\n\nafter\n',
  '```\nnever closed\n``\nstill\n',
  '  ```js\n  indented\n   more\n  ```\ntail\n',
  '~~~~\n```\nnot the end\n~~~\n~~~~\nend',
  '| a | b |\n|---|--:|\n| 1 | 2 |\n| 3 | 4 |\n\nafter the table\n',
  '- [x] done\n- [ ] open\n\n> quote\n> more\n\n---\n\n<details><summary>s</summary>\n\ntext\n\n</details>\n',
  '- item\n\n  ```sh\n  ls\n  ```\n- next\n\n\tindented code\n',
  'Windows\r\nline ends\r\n\r\n```\r\ncode\r\n```\r\nend\r\n',
  '![remote](https://example.org/x.png) ![](data:image/png;base64,AAAA)\n\nhttps://example.org www.example.org\n',
  'Emoji 👩‍💻 and עברית and a hard  \nbreak\n\n\n\n&amp; &lt;script&gt; <b>raw</b> <script>alert(1)</script>\n',
  'Let $x_1 * y_1$ cost $5 and $6.\n\n$$\na\n= b\n$$\n\n\\[ c \\] and \\(d\\)\nmore $open\n',
  'Text\n$$\na *b* c\n\nno formula\n\n- ```mermaid\n  graph TD\n  A-->B\n  ```\n- ~~~py\n  x\n',
];

function make(): { host: HTMLElement; stream: MarkdownStream } {
  const host = document.createElement('div');
  return { host, stream: new MarkdownStream(host, { t: identity, controls: true }) };
}

function whole(text: string): HTMLElement {
  const { host, stream } = make();
  stream.append(text);
  stream.finish();
  return host;
}

/** A small generator with a seed, so that a failure can be found again. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}

function drain(stream: MarkdownStream): void {
  while (stream.flush()) {
    // A frame's worth each.
  }
}

describe('MarkdownStream', () => {
  it.each([...SAMPLES.entries()])(
    'ends sample %i as one full pass does, however the text was split',
    (index, sample) => {
      const wanted = whole(sample);
      for (let round = 0; round < 8; round += 1) {
        const next = random(index * 1000 + round);
        const { host, stream } = make();
        let rest = sample;
        while (rest !== '') {
          const size = 1 + Math.floor(next() * (round % 3 === 0 ? 3 : 25));
          stream.append(rest.slice(0, size));
          rest = rest.slice(size);
          drain(stream);
        }
        stream.finish();
        if (!host.isEqualNode(wanted)) {
          expect(host.innerHTML, `sample ${index}, round ${round}`).toBe(wanted.innerHTML);
        }
      }
    },
  );

  it('shows all text before the end, too', () => {
    for (const sample of SAMPLES.slice(0, 2)) {
      const { host, stream } = make();
      for (const char of sample) {
        stream.append(char);
        drain(stream);
      }
      expect(host.textContent.replace(/\s/g, '')).toBe(
        whole(sample).textContent.replace(/\s/g, ''),
      );
    }
  });

  it('keeps the order of blocks that come at once, an open fence last', () => {
    const { host, stream } = make();
    stream.append('One\n\n- two\n\nThree\n\n```py\nfour = 4');
    drain(stream);
    const tags = [...host.children].map(element => element.localName);
    expect(tags).toEqual(['p', 'ul', 'p', 'div']);
    expect(host.textContent).toMatch(/One\s*two\s*Three\s*(py)?\s*four = 4/);
  });

  it('keeps the text node of a growing paragraph and of an open code block', () => {
    const { host, stream } = make();
    stream.append('Hello');
    drain(stream);
    const paragraph = host.querySelector('p')?.firstChild;
    stream.append(' world');
    drain(stream);
    expect(host.querySelector('p')?.firstChild).toBe(paragraph);
    expect(paragraph?.textContent).toBe('Hello world');
    stream.append('\n\n```py\nx = 1\n');
    drain(stream);
    const code = host.querySelector('code')?.firstChild;
    const [first] = host.children;
    stream.append('y = 2\nz');
    drain(stream);
    expect(host.querySelector('code')?.firstChild).toBe(code);
    expect(code?.textContent).toBe('x = 1\ny = 2\nz');
    stream.append(' = 3\n```\n\nDone');
    drain(stream);
    stream.finish();
    expect(host.children[0]).toBe(first);
    expect(host.querySelector('code')?.firstChild).toBe(code);
  });

  it('lets nothing act or load', () => {
    const hostile = [
      '<script>window.hacked = 1</script>',
      '<img src="x" onerror="window.hacked = 1">',
      '[click](javascript:window.hacked=1) [data](data:text/html,x) [file](file:///etc/passwd)',
      '<a href="https://example.org" onclick="window.hacked=1">ok</a>',
      '<iframe src="https://example.org"></iframe><object data="x"></object><embed src="x">',
      '<form action="https://example.org"><button class="btn primary" aria-label="Allow once">Allow once</button></form>',
      '<div class="acp-perm" role="group" aria-label="Permission request" style="position:fixed" id="x">fake</div>',
      '<svg><image href="https://example.org/x.png"/></svg><video src="https://example.org/v"></video>',
      '<input type="image" src="https://example.org/x.png"><link rel="stylesheet" href="https://example.org">',
      '![x](https://example.org/track.png)',
    ].join('\n\n');
    const { host, stream } = make();
    stream.append(hostile);
    stream.finish();
    expect(
      host.querySelector('script, iframe, object, embed, form, svg image, video, link, style'),
    ).toBeNull();
    expect(host.innerHTML).not.toMatch(/onerror|onclick|javascript:|data:text|file:|position/);
    expect(
      host.querySelector('[role=group][aria-label="Permission request"], .acp-perm, .primary, #x'),
    ).toBeNull();
    expect(host.querySelector('img, [src]')).toBeNull();
    const links = [...host.querySelectorAll('a[href]')];
    expect(links.map(link => link.getAttribute('href'))).toEqual(['https://example.org']);
    expect(links[0]?.getAttribute('rel')).toBe('noopener noreferrer');
    expect(links[0]?.getAttribute('target')).toBe('_blank');
    expect([...host.querySelectorAll('button')].map(each => each.textContent)).toEqual([
      'Load image from example.org',
    ]);
  });

  it('draws no button without controls', () => {
    const host = document.createElement('div');
    const stream = new MarkdownStream(host, { t: identity, controls: false });
    stream.append('```py\nx\n```\n\n![x](https://example.org/track.png)\n');
    stream.finish();
    expect(host.querySelector('button, img')).toBeNull();
    expect(host.querySelector('a')?.href).toBe('https://example.org/track.png');
  });
});
