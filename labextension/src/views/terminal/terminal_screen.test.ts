import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { isRecord, text, texts } from '../../wire/read';
import { ROWS, TerminalScreen } from './terminal_screen';
import { TerminalText } from './terminal_text';

// The host draws the same ones for saved notebooks.
const FILE = join(import.meta.dirname, '../../../../tests/fixtures/terminals/screens.json');

interface Example {
  readonly name: string;
  readonly input: string;
  readonly lines: readonly string[];
}

const read: unknown = JSON.parse(readFileSync(FILE, 'utf8'));

const EXAMPLES: readonly Example[] = (Array.isArray(read) ? read : [])
  .filter(isRecord)
  .map(each => ({
    name: text(each, 'name'),
    input: text(each, 'input'),
    lines: texts(each, 'lines'),
  }));

// eslint-disable-next-line no-control-regex
const COLOUR = /\x1b\[[0-9;]*m/g;

function linesOf(pieces: Iterable<string>): string[] {
  const screen = new TerminalScreen();
  const lines: string[] = [];
  for (const piece of pieces) {
    lines.push(...screen.write(piece));
  }
  return [...lines, ...screen.live()].map(line => line.replace(COLOUR, ''));
}

describe('what a terminal shows', () => {
  it('is told by examples', () => {
    expect(EXAMPLES.length).toBeGreaterThan(15);
  });

  it.each(EXAMPLES)('$name', ({ input, lines }) => {
    expect(linesOf([input])).toEqual(lines);
  });

  it.each(EXAMPLES)('$name, in pieces', ({ input, lines }) => {
    expect(linesOf(input)).toEqual(lines);
  });

  it('lets lines go that can be reached no more', () => {
    const screen = new TerminalScreen();
    const written = Array.from({ length: 100 }, (_, n) => String(n));
    const finished = screen.write(written.map(line => `${line}\n`).join(''));
    expect([...finished, ...screen.live()]).toEqual([...written, '']);
    expect(screen.live()).toHaveLength(ROWS);
    expect(screen.write('\x1b[99A\rtop')).toEqual([]);
    expect(screen.live()[0]).toMatch(/^top/);
  });

  it('keeps the colours of what is not written again', () => {
    const screen = new TerminalScreen();
    screen.write('\x1b[31mred \x1b[1mbold\x1b[0m\rR');
    expect(screen.live()).toEqual(['R\x1b[31med \x1b[0m\x1b[31m\x1b[1mbold\x1b[0m']);
  });

  it('breaks a line that has no end', () => {
    const lines = linesOf(['x'.repeat(10_000)]);
    expect(lines.map(line => line.length)).toEqual([4_000, 4_000, 2_000]);
  });
});

describe('terminal text in the page', () => {
  function shown(...pieces: string[]): HTMLElement {
    const host = document.createElement('pre');
    const terminal = new TerminalText(host);
    pieces.forEach(piece => terminal.append(piece));
    return host;
  }

  function linesIn(host: HTMLElement): string[] {
    return host.textContent.split('\n');
  }

  it('has colours, and nothing but text and colours', () => {
    const host = shown('\x1b[32mgr', 'een\x1b[0m <b>&amp;</b>\n', '\x1b]8;;https://x\x07link');
    expect(host.textContent).toBe('green <b>&amp;</b>\nlink');
    expect(host.querySelector('.ansi-green-fg')?.textContent).toBe('green');
    expect(host.querySelector('a, b')).toBeNull();
  });

  it('draws a progress bar once', () => {
    const bars = Array.from({ length: 101 }, (_, n) => `\r${n}%|${'█'.repeat(n / 10)}`);
    expect(shown('work\n', ...bars, '\n').textContent).toBe(`work\n100%|${'█'.repeat(10)}\n`);
  });

  it('keeps the end of a long output', () => {
    const host = shown(...Array.from({ length: 200 }, (_, n) => `${n}\n`.repeat(50)));
    const lines = linesIn(host);
    expect(lines.length).toBeLessThanOrEqual(540);
    expect(lines[lines.length - 2]).toBe('199');
    const long = shown(`${'x'.repeat(99)}\n`.repeat(20_000));
    expect(linesIn(long).length).toBeLessThanOrEqual(540);
  });
});
