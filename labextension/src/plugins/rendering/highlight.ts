import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import type { Parser, Tree } from '@lezer/common';
import { highlightTree, tagHighlighter, tags } from '@lezer/highlight';

import type { Run } from '../../views';

/** Longer texts stay plain. */
const MAX_TEXT = 50_000;
/** What parsing may take of a frame, and in all. */
const SLICE_MILLISECONDS = 6;
const MAX_MILLISECONDS = 400;

/** Few colours, named as our style sheet names them. */
const LOOKS = tagHighlighter([
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

/** Colours code as JupyterLab's own editor parses it; a slice of a frame at a time. */
export class Highlighter {
  readonly #languages: IEditorLanguageRegistry;

  constructor(languages: IEditorLanguageRegistry) {
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

function runs(tree: Tree, text: string): Run[] {
  const made: Run[] = [];
  let end = 0;
  const add = (to: number, look: string) => {
    if (to > end) {
      made.push({ text: text.slice(end, to), class: look });
      end = to;
    }
  };
  highlightTree(tree, LOOKS, (from, to, look) => {
    add(from, '');
    // A tag may have several looks; the last is the most particular.
    add(to, look.split(' ').pop() ?? '');
  });
  add(text.length, '');
  return made;
}
