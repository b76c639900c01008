import type { Parser, Tree } from '@lezer/common';
import { highlightTree, tagHighlighter, tags } from '@lezer/highlight';

/** Longer texts stay plain. */
const MAX_TEXT = 50_000;

const MAX_FILE = 200_000;

/** Number of files whose colours are cached. */
const MAX_KEPT = 12;

/** Longest time for parsing, at once and in total. */
const SLICE_MILLISECONDS = 6;

const MAX_MILLISECONDS = 400;

/** Class names of our style sheet, for the kinds of tokens that have a colour. */
const COLOUR_CLASSES = tagHighlighter([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.self, tags.tagName], class: 'k' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.attributeValue], class: 'str' },
  { tag: [tags.comment, tags.meta], class: 'c' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], class: 'n' },
  {
    tag: [
      tags.definition(tags.name),
      tags.function(tags.definition(tags.variableName)),
      tags.className,
      tags.definition(tags.propertyName),
      tags.attributeName,
      tags.heading,
    ],
    class: 'f',
  },
]);

/** A run of code in one colour; `class` names it (`k`, `str`, `c`, `n`, `f`) or is empty. */
export interface Run {
  readonly text: string;
  readonly class: string;
}

/** The coloured runs of a line, counted from 1; `null` for a line that stays plain. */
export type Colours = (line: number) => readonly Run[] | null;

/** Finds the parser of a language by its name, or by the name of a file. */
export type FindParser = (language: string) => Promise<Parser | null>;

/** Highlights code with the parsers that its host has, in slices of a few milliseconds. */
export class Highlighter {
  readonly #parser: FindParser;
  readonly #files = new Map<string, Promise<Colours | null>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(find: FindParser) {
    this.#parser = find;
  }

  /** `language` is its name, or the name of a file. */
  async highlight(text: string, language: string): Promise<readonly Run[] | null> {
    if (text.length > MAX_TEXT) {
      return null;
    }
    const parser = await this.#parser(language);
    const tree = parser === null ? null : await parse(parser, text);
    return tree === null ? null : runs(tree, text);
  }

  /** The colours of a file's lines; one file at a time, so that the page stays responsive. */
  lines(text: string, path: string): Promise<Colours | null> {
    if (text.length > MAX_FILE) {
      return Promise.resolve(null);
    }
    const key = `${path}\n${text}`;
    const known = this.#files.get(key);
    const colours = known ?? this.#last.then(() => this.#file(text, path)).catch(() => null);
    this.#files.delete(key);
    this.#files.set(key, colours);
    this.#last = colours;
    for (const oldest of [...this.#files.keys()].slice(0, -MAX_KEPT)) {
      this.#files.delete(oldest);
    }
    return colours;
  }

  async #file(text: string, path: string): Promise<Colours | null> {
    const parser = await this.#parser(path.slice(path.lastIndexOf('/') + 1));
    const tree = parser === null ? null : await parse(parser, text);
    if (tree === null) {
      return null;
    }
    const ends = [...text.matchAll(/\r?\n|$/g)];
    return line => {
      const end = ends[line - 1];
      const before = line === 1 ? 0 : endOf(ends[line - 2]);
      return end === undefined ? null : runs(tree, text, before, end.index);
    };
  }
}

async function parse(parser: Parser, text: string): Promise<Tree | null> {
  const parsing = parser.startParse(text);
  let left = MAX_MILLISECONDS;
  while (left > 0) {
    const start = performance.now();
    while (performance.now() - start < SLICE_MILLISECONDS) {
      const tree = parsing.advance();
      if (tree !== null) {
        return tree;
      }
    }
    left -= performance.now() - start;
    await new Promise(resolve => setTimeout(resolve));
  }
  return null;
}

function endOf(found: RegExpMatchArray | undefined): number {
  return found === undefined ? 0 : (found.index ?? 0) + found[0].length;
}

/** The coloured runs of a part of the text. */
function runs(tree: Tree, text: string, start = 0, stop = text.length): Run[] {
  const found: Run[] = [];
  let end = start;
  const add = (to: number, className: string) => {
    if (to > end) {
      found.push({ text: text.slice(end, to), class: className });
      end = to;
    }
  };
  const take = (from: number, to: number, className: string) => {
    add(from, '');
    // A tag may have several classes; the last is the most specific.
    add(Math.min(to, stop), className.split(' ').pop() ?? '');
  };
  highlightTree(tree, COLOUR_CLASSES, take, start, stop);
  add(stop, '');
  return found;
}
