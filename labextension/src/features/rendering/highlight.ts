import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import type { Parser, Tree } from '@lezer/common';
import { highlightTree, tagHighlighter, tags } from '@lezer/highlight';

import type { Colours, Run } from '../../views';

/** Longer texts stay plain. */
const MAX_TEXT = 50_000;

const MAX_FILE = 200_000;

/** Most files whose colours are cached. */
const MAX_KEPT = 12;

/** Longest time that parsing takes at once, and in all. */
const SLICE_MILLISECONDS = 6;

const MAX_MILLISECONDS = 400;

/** Class names of our style sheet for a few kinds of tokens. */
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

type Languages = Pick<
  IEditorLanguageRegistry,
  'findByName' | 'findByExtension' | 'findByFileName' | 'getLanguage'
>;

/** Highlights code with the parsers of JupyterLab's editor, in slices of a few milliseconds. */
export class Highlighter {
  readonly #languages: Languages;
  readonly #files = new Map<string, Promise<Colours | null>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(languages: Languages) {
    this.#languages = languages;
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

  async #parser(language: string): Promise<Parser | null> {
    const found =
      this.#languages.findByName(language.toLowerCase()) ??
      this.#languages.findByExtension(language.toLowerCase()) ??
      this.#languages.findByFileName(language);
    const loaded = found === null ? null : await this.#languages.getLanguage(found);
    return loaded?.support?.language.parser ?? null;
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
