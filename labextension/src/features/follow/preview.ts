import type { ILabShell, JupyterFrontEnd } from '@jupyterlab/application';
import { DocumentWidget } from '@jupyterlab/docregistry';
import { DockPanel } from '@lumino/widgets';
import type { Widget } from '@lumino/widgets';

import { isDocument } from '../../lab/page/is_document';
import { isRecord } from '../../wire/read';

/** Larger files are not opened: a page may be slow with them. */
const MAX_BYTES = 5_000_000;

/** Shows files in one tab beside the notebook. It never takes the keyboard's focus. */
export class Preview {
  readonly #app: JupyterFrontEnd;
  readonly #shell: ILabShell;
  #shown: DocumentWidget | null = null;

  constructor(app: JupyterFrontEnd, shell: ILabShell) {
    this.#app = app;
    this.#shell = shell;
  }

  /**
   * Shows a file at a line, unless that would hide what the user works on.
   *
   * @param beside - The widget beside which the first file is opened.
   * @param isLate - Whether it is too late to show the file.
   */
  async show(
    path: string,
    line: number | null,
    beside: Widget | null,
    isLate: () => boolean,
  ): Promise<void> {
    const open = documents(this.#shell).find(({ context }) => context.localPath === path);
    const document = open ?? (await this.#open(path, beside, isLate));
    if (document === null || isLate()) {
      return;
    }
    reveal(document);
    await document.context.ready;
    if (line !== null && !isLate()) {
      revealLine(document, line);
    }
  }

  async #open(
    path: string,
    beside: Widget | null,
    isLate: () => boolean,
  ): Promise<DocumentWidget | null> {
    const { commands, serviceManager } = this.#app;
    if (this.#shell.mode !== 'multiple-document') {
      return null;
    }
    // An agent may name a file that doesn't exist, or not yet.
    const found = await serviceManager.contents.get(path, { content: false }).catch(() => null);
    if (found?.type !== 'file' || (found.size ?? 0) > MAX_BYTES || isLate()) {
      return null;
    }
    const former = this.#shown?.isDisposed === false ? this.#shown : null;
    const place =
      former !== null
        ? { mode: 'tab-after', ref: former.id }
        : beside !== null
          ? { mode: 'split-right', ref: beside.id }
          : {};
    const options = { activate: false, ...place };
    const opened: unknown = await commands.execute('docmanager:open', { path, options });
    if (!(opened instanceof DocumentWidget)) {
      return null;
    }
    this.#shown = opened;
    reveal(opened);
    if (former !== null && !former.context.model.dirty && !hasFocus(former)) {
      former.dispose();
    }
    return opened;
  }
}

/** Brings a tab to the front, unless the keyboard's focus is in the tab that it would hide. */
export function reveal(widget: Widget): void {
  const { parent } = widget;
  if (widget.isVisible || !(parent instanceof DockPanel)) {
    return;
  }
  for (const bar of parent.tabBars()) {
    if (bar.titles.includes(widget.title)) {
      const front = bar.currentTitle?.owner;
      if (front === undefined || !hasFocus(front)) {
        bar.currentTitle = widget.title;
      }
      return;
    }
  }
}

function hasFocus({ node }: Widget): boolean {
  return node.contains(document.activeElement);
}

function documents(shell: ILabShell): DocumentWidget[] {
  return [...shell.widgets('main')].filter(isDocument);
}

/** Scrolls a text editor to a line; the cursor stays. */
function revealLine({ content }: DocumentWidget, line: number): void {
  const editor: unknown = Reflect.get(content, 'editor');
  if (canReveal(editor)) {
    editor.revealPosition({ line: Math.min(line, editor.lineCount) - 1, column: 0 });
  }
}

interface Editor {
  readonly lineCount: number;
  revealPosition(position: { readonly line: number; readonly column: number }): void;
}

function canReveal(editor: unknown): editor is Editor {
  return isRecord(editor) && typeof editor['revealPosition'] === 'function';
}
