import { afterEach, beforeAll, describe, expect, it } from 'vitest';

import { identity } from '../../i18n';
import { MarkdownStream } from '../stream';

/** Replaces the browser's observer: it reports what a test says. */
class FakeObserver {
  static all: FakeObserver[] = [];
  readonly observed = new Set<Element>();

  constructor(private readonly call: (entries: readonly unknown[]) => void) {
    FakeObserver.all.push(this);
  }

  observe(element: Element): void {
    this.observed.add(element);
  }

  unobserve(element: Element): void {
    this.observed.delete(element);
  }

  tell(isNear: (element: Element) => boolean): void {
    const box = { width: 100, height: 20 };
    this.call(
      [...this.observed].map(target => ({
        target,
        isIntersecting: isNear(target),
        boundingClientRect: box,
      })),
    );
  }
}

const PARTS = [
  '# Title\n\nSome *text* with `code`, &amp; **bold**, [a link][ref] and $x_1$.\n\n',
  '- one\n- two\n\n  still two\n\n1. a\n2. b\n   - inner\n\n',
  'Before\n#hash\n\n```python\nfor i in range(3):\n    print(i)\n\n\n```\n\n',
  '| a | b |\n|---|--:|\n| 1 | 2 |\n| 3 | 4 |\n\n> quote\n> more\n\n---\n\n',
  'Text\n$$\na *b* c\n\nno formula\n\n- ```mermaid\n  graph TD\n  A-->B\n  ```\n- next\n\n',
];

function answer(parts: number): string {
  const all = Array.from({ length: parts }, (_, n) => `Part ${n}\n\n${PARTS[n % PARTS.length]}`);
  return `${all.join('')}The end.\n\n[ref]: https://example.org "x"\n`;
}

function make(): { host: HTMLElement; stream: MarkdownStream } {
  const host = document.createElement('div');
  document.body.append(host);
  return { host, stream: new MarkdownStream(host, { t: identity, controls: true }) };
}

function letters(host: Element): string {
  const words = host.cloneNode(true);
  if (words instanceof Element) {
    words.querySelectorAll('.acp-code > header').forEach(each => each.remove());
  }
  return (words.textContent ?? '').replace(/\s/g, '');
}

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}

function tell(isNear: (element: Element) => boolean): void {
  FakeObserver.all.forEach(each => each.tell(isNear));
}

beforeAll(() => {
  Object.defineProperty(globalThis, 'IntersectionObserver', {
    value: FakeObserver,
    configurable: true,
  });
});

afterEach(() => document.body.replaceChildren());

/** Whether the existing parts, drawn or not, are in their order. */
function inOrder(host: Element): boolean {
  const numbers = [...host.textContent.matchAll(/Part (\d+)/g)].map(([, n]) => Number(n));
  // The last one may not be complete.
  return numbers.slice(0, -1).every((n, index) => n === index);
}

describe('blocks out of sight', { timeout: 60_000 }, () => {
  it.each([1, 2, 3, 4])('stand in their order, whatever comes near (%i)', round => {
    const next = random(round);
    const { host, stream } = make();
    let rest = answer(250);
    const look = (share: number) => {
      expect(inOrder(host)).toBe(true);
      tell(() => next() < share);
      expect(inOrder(host)).toBe(true);
    };
    while (rest !== '') {
      const size = 1 + Math.floor(next() * (round % 2 === 0 ? 4_000 : 40_000));
      stream.append(rest.slice(0, size));
      rest = rest.slice(size);
      for (let steps = 1; stream.step(); steps += 1) {
        if (steps % (1 + (round % 6)) === 0) {
          stream.settle();
          look(0.1);
        }
      }
      stream.settle();
      look(round % 3 === 0 ? 0.05 : 0.5);
    }
    while (stream.finishStep()) {
      look(0.3);
    }
    expect(host.textContent.match(/Part \d+/g)).toHaveLength(250);
    stream.dispose();
  });

  it('are few elements with all words, and drawn when they come near', () => {
    const { host, stream } = make();
    stream.append(answer(200));
    while (stream.flush()) {
      tell(() => false);
    }
    stream.finish();
    tell(() => false);
    expect(host.querySelectorAll('*').length).toBeLessThan(60);
    const words = letters(host);
    for (let n = 0; n < 12; n += 1) {
      tell(() => true); // each time there are some more
    }
    expect(host.querySelector('.acp-unseen')).toBeNull();
    expect(letters(host)).toBe(words);
    stream.dispose();
  });

  it('are not drawn in a hidden page, where nobody tells what goes out of sight', () => {
    const hide = (value: boolean) => {
      Object.defineProperty(document, 'hidden', { value, configurable: true });
    };
    const { host, stream } = make();
    hide(true);
    stream.append(answer(1_000));
    while (stream.flush()) {
      // A step each.
    }
    const after = host.querySelectorAll('*').length;
    hide(false);
    // Its first 12 kB are drawn: a short text always is.
    expect(after).toBeLessThan(2_500);
    expect(host.textContent.match(/Part \d+/g)).toHaveLength(1_000);
    stream.dispose();
  });

  it('end as one full pass does, whatever came near meanwhile', () => {
    const text = answer(115);
    const wanted = make();
    wanted.stream.append(text);
    wanted.stream.finish();
    for (let n = 0; n < 12; n += 1) {
      tell(() => true);
    }
    for (let round = 0; round < 1; round += 1) {
      const next = random(round);
      const { host, stream } = make();
      let rest = text;
      while (rest !== '') {
        const size = 1 + Math.floor(next() * (round % 2 === 0 ? 40 : 3_000));
        stream.append(rest.slice(0, size));
        rest = rest.slice(size);
        while (stream.flush()) {
          // A frame's worth each.
        }
        if (next() < 0.3) {
          tell(element => !host.contains(element) || next() < 0.3);
        }
      }
      while (stream.finishStep()) {
        tell(element => !host.contains(element) || next() < 0.5);
      }
      for (let n = 0; n < 12; n += 1) {
        tell(() => true);
      }
      if (!host.isEqualNode(wanted.host)) {
        expect(host.innerHTML, `round ${round}`).toBe(wanted.host.innerHTML);
      }
      stream.dispose();
    }
    wanted.stream.dispose();
  });

  it.each([
    ['a list', (n: number) => `${n + 1}. item ${n} of a list with very many\n`],
    [
      'a table',
      (n: number) => `${n === 0 ? '| a | b |\n| - | - |\n' : ''}| ${n} | a row of very many |\n`,
    ],
    ['a paragraph', (n: number) => `word ${n} and *some* others `],
    ['code', (n: number) => `${n === 0 ? '```\n' : ''}line ${n} of a very long code\n`],
  ])('are parts of %s that is very long', (_, piece) => {
    const { host, stream } = make();
    let whole = '';
    for (let n = 0; n < 800; n += 1) {
      whole += piece(n);
      stream.append(piece(n));
      if (n % 200 === 0) {
        while (stream.flush()) {
          // A frame's worth each.
        }
        tell(() => false);
      }
    }
    stream.finish();
    tell(() => false);
    expect(host.querySelectorAll('*').length).toBeLessThan(700);
    const { host: other, stream: once } = make();
    once.append(whole);
    once.finish();
    for (let n = 0; n < 40; n += 1) {
      tell(() => true);
    }
    expect(letters(host)).toBe(letters(other));
    expect(host.isEqualNode(other)).toBe(true);
    [stream, once].forEach(each => each.dispose());
  });

  it('are parts of a list, too, where every step ends behind a blank', () => {
    const { host, stream } = make();
    // 32 characters each; a step is a multiple of that.
    const item = (n: number) => `${1000 + n}. an item with some \`words\`\n`;
    const list = Array.from({ length: 1000 }, (_, n) => item(n)).join('');
    stream.append(list.slice(0, '1000. an item '.length));
    stream.flush();
    stream.append(list.slice('1000. an item '.length));
    while (stream.flush()) {
      // A frame's worth each.
    }
    expect(host.children.length).toBeGreaterThan(5);
    stream.dispose();
  });
});
