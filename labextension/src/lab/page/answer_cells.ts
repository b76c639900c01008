import type { Cell } from '@jupyterlab/cells';
import type { Notebook, NotebookPanel } from '@jupyterlab/notebook';

import { mentionAt } from '../../state/attachments';
import type { Cells, Translate } from '../../views';
import { fenced } from './fenced';

const MARKDOWN = new Set(['markdown', 'md', 'mdown', 'mkd']);

/** Inserts code of an answer as cells, or replaces one. It never runs code. */
class AnswerCells {
  readonly #panel: () => NotebookPanel | null;
  /** The cell that an output belongs to; `null` for the active one. */
  readonly #own: (() => Cell | null) | null;
  readonly #t: Translate;

  constructor(panel: () => NotebookPanel | null, own: (() => Cell | null) | null, t: Translate) {
    this.#panel = panel;
    this.#own = own;
    this.#t = t;
  }

  readonly activeCell = (): number | null => {
    const { index } = this.#position() ?? { index: -1 };
    return index < 0 ? null : index + 1;
  };

  readonly insertBelow = (text: string, language: string): Promise<void> => {
    const { notebook, index } = this.#writable();
    notebook.model?.sharedModel.insertCell(index + 1, newCell(text, language));
    return show(notebook, index + 1);
  };

  readonly canReplace = (language: string): boolean => {
    const { notebook, index } = this.#position() ?? {};
    const cell = index === undefined ? undefined : notebook?.widgets[index]?.model;
    const isPrompt = cell?.type === 'code' && isPromptCell(cell.sharedModel.source);
    return cell !== undefined && !isPrompt && cell.type === newCell('', language).cell_type;
  };

  readonly replaceActive = (text: string, language: string): Promise<void> => {
    const { notebook, index } = this.#writable();
    const cell = notebook.widgets[index];
    const replacement = newCell(text, language);
    if (cell === undefined || cell.model.getMetadata('editable') === false) {
      throw new Error(this.#t('Cell %1 is read-only.', index + 1));
    }
    if (!this.canReplace(language)) {
      throw new Error(
        this.#t('Cell %1 was not replaced: it is a prompt, or has another type.', index + 1),
      );
    }
    cell.model.sharedModel.setSource(replacement.source);
    return show(notebook, index);
  };

  #position(): { readonly notebook: Notebook; readonly index: number } | null {
    const notebook = this.#panel()?.content;
    if (notebook === undefined || notebook.model === null) {
      return null;
    }
    const own = this.#own?.();
    const index =
      own === undefined
        ? notebook.activeCellIndex
        : notebook.widgets.findIndex(cell => cell === own);
    return index < 0 || index >= notebook.widgets.length ? null : { notebook, index };
  }

  #writable(): { readonly notebook: Notebook; readonly index: number } {
    const position = this.#position();
    if (position === null) {
      throw new Error(this.#t('No notebook is open.'));
    }
    if (position.notebook.model?.readOnly === true) {
      throw new Error(this.#t('The notebook is read-only.'));
    }
    return position;
  }
}

/** The cell for a code block. Diagrams become Markdown cells, which notebooks draw. */
export function newCell(text: string, language: string) {
  const name = language.toLowerCase();
  if (name === 'mermaid') {
    return { cell_type: 'markdown', source: fenced(text, 'mermaid'), metadata: {} };
  }
  const cell_type = MARKDOWN.has(name) ? 'markdown' : 'code';
  return { cell_type, source: text, metadata: {} };
}

/** Whether a cell is a prompt: it begins with `%%acp`, possibly below other cell magics. */
export function isPromptCell(source: string): boolean {
  return /^\s*(?:%%\S.*\n\s*)*%%acp\b/.test(source);
}

/** Whether a cell has one of our magics: running it sends a prompt, or a command to an agent. */
export function hasMagic(source: string): boolean {
  return /^[^#'"\n]*%acp\b/m.test(source);
}

/** The place in a cell that is completed. */
export type Place =
  /** In the first line of a prompt, or after `%acp`. */
  | { readonly kind: 'line' }
  | { readonly kind: 'prose' }
  /** `start` is the offset of the `@` or `/`. */
  | { readonly kind: 'mention' | 'command'; readonly start: number };

/** The place of the caret; `null` in code. */
export function placeAt(source: string, caret: number): Place | null {
  if (!isPromptCell(source)) {
    const line = source.slice(source.lastIndexOf('\n', caret - 1) + 1, caret);
    return /^\s*%acp\s/.test(line) ? { kind: 'line' } : null;
  }
  const [first = ''] = /^\s*(?:%%(?!acp\b)\S.*\n\s*)*%%acp\b.*\n?/.exec(source) ?? [];
  if (caret < first.length || !first.endsWith('\n')) {
    return { kind: 'line' };
  }
  const prompt = source.slice(first.length, caret);
  if (/^\n*\/\S*$/.test(prompt)) {
    return { kind: 'command', start: first.length + prompt.indexOf('/') };
  }
  const fences = prompt.match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0;
  const token = fences % 2 === 1 ? null : mentionAt(prompt, prompt.length);
  return token === null
    ? { kind: 'prose' }
    : { kind: 'mention', start: first.length + token.start };
}

/** Makes it the active cell and scrolls to it. */
async function show(notebook: Notebook, index: number): Promise<void> {
  notebook.activeCellIndex = index;
  notebook.deselectAll();
  await notebook.scrollToItem(index);
}

/** Inserts below the cell that an output belongs to. */
export function cellsOfOutput(
  position: () => { readonly cell: Cell; readonly panel: NotebookPanel } | null,
  t: Translate,
): Cells {
  const cells = new AnswerCells(
    () => position()?.panel ?? null,
    () => position()?.cell ?? null,
    t,
  );
  return {
    // A windowed notebook detaches outputs for a while; their cell is unknown then.
    activeCell: () => cells.activeCell() ?? 0,
    insertBelow: async (text, language) => cells.insertBelow(text, language),
    onChange: () => () => undefined,
  };
}

/** Inserts at the active cell of the session's notebook, for the panel. */
export function cellsOfNotebook(
  panel: () => NotebookPanel | null,
  onChange: Cells['onChange'],
  t: Translate,
): Cells {
  const cells = new AnswerCells(panel, null, t);
  return {
    activeCell: cells.activeCell,
    canReplace: cells.canReplace,
    insertBelow: async (text, language) => cells.insertBelow(text, language),
    replaceActive: async (text, language) => cells.replaceActive(text, language),
    onChange,
  };
}
