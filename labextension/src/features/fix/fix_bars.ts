import { Notification } from '@jupyterlab/apputils';
import { isCodeCellModel } from '@jupyterlab/cells';
import type { Cell, ICellModel } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';
import { PanelLayout, Widget } from '@lumino/widgets';

import type { Mounted } from '../../views';
import { isLeftOut } from '../../lab/page/cell_context';
import { isPromptCell } from '../../lab/page/answer_cells';
import { shortcutOf } from '../../lab/page/turn_actions';
import type * as Code from './cell_fix';
import type { ProposalNoteProps } from '../../lab/proposal/proposal_note';
import { FIX_ERROR } from './fix_parts';
import type { FixParts } from './fix_parts';

/** Pause in typing after which the bars are drawn again. */
const PAUSE_MS = 200;

/** The *Fix* buttons and the fixes under the cells of an open notebook. */
export class FixBars {
  readonly #parts: FixParts;
  /** May outlive the panel, if the notebook has two views. */
  readonly #model: INotebookModel | null;
  readonly #bars = new Map<Cell, FixBar>();
  /** By the cell's id: a cell that is moved gets a new widget. */
  readonly #fixes = new Map<string, Code.CellFix>();
  readonly #awaited = new WeakSet<Cell>();
  /** Loaded with the first fix. */
  #code: typeof Code | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: Omit<FixParts, 'again'>) {
    this.#parts = { ...parts, again: cellId => void this.#start(cellId) };
    this.#model = parts.notebook.content.model;
    this.#model?.contentChanged.connect(this.#plan, this);
    parts.notebook.disposed.connect(() => this.#dispose());
    this.#plan();
  }

  /** Whether a cell has an error to fix, or a fix to decide on. */
  has(cell: Cell | null): boolean {
    return cell !== null && (this.#fixes.has(cell.model.id) || hasFailed(cell.model));
  }

  /** Asks for a fix of a cell, or goes to the existing one. */
  act(cell: Cell): void {
    if (this.#fixes.has(cell.model.id)) {
      this.#focus(cell);
    } else {
      void this.#start(cell.model.id);
    }
  }

  async #start(cellId: string): Promise<void> {
    const { t } = this.#parts;
    try {
      this.#code ??= await import('./cell_fix');
    } catch (error) {
      console.error(error);
      Notification.error(t('The view could not be loaded. Reload the page.'));
      return;
    }
    if (this.#parts.notebook.isDisposed || this.#fixes.has(cellId)) {
      return;
    }
    const fix: Code.CellFix = new this.#code.CellFix(
      this.#parts,
      cellId,
      () => this.#draw(),
      () => {
        this.#fixes.delete(cellId);
        this.#draw();
      },
    );
    this.#fixes.set(cellId, fix);
    this.#draw();
    const cell = this.#parts.notebook.content.widgets.find(({ model }) => model.id === cellId);
    if (cell !== undefined) {
      this.#focus(cell);
    }
    fix.start();
  }

  #focus(cell: Cell): void {
    const bar = this.#bars.get(cell);
    bar?.focus();
    bar?.node.scrollIntoView({ block: 'nearest' });
  }

  #plan(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#draw(), PAUSE_MS);
  }

  #draw(): void {
    const { notebook } = this.#parts;
    if (notebook.isDisposed) {
      return;
    }
    const there = new Set([...(notebook.content.model?.cells ?? [])].map(({ id }) => id));
    for (const [id, fix] of [...this.#fixes]) {
      if (!there.has(id)) {
        this.#fixes.delete(id);
        fix.cellGone();
      }
    }
    for (const [cell, bar] of this.#bars) {
      if (cell.isDisposed || !this.has(cell)) {
        this.#bars.delete(cell);
        close(cell, bar);
      }
    }
    for (const cell of notebook.content.widgets) {
      if (this.has(cell)) {
        this.#show(cell);
      }
    }
  }

  #show(cell: Cell): void {
    if (cell.isPlaceholder()) {
      // A cell that was never on the screen has no elements yet.
      if (!this.#awaited.has(cell)) {
        this.#awaited.add(cell);
        void cell.ready.then(() => this.#plan());
      }
      return;
    }
    let bar = this.#bars.get(cell);
    if (bar === undefined && cell.layout instanceof PanelLayout) {
      bar = new FixBar(() => void this.#start(cell.model.id), this.#parts);
      cell.layout.addWidget(bar);
      this.#bars.set(cell, bar);
    }
    const props = this.#fixes.get(cell.model.id)?.props() ?? null;
    bar?.draw(props, this.#code);
  }

  #dispose(): void {
    clearTimeout(this.#timer);
    this.#model?.contentChanged.disconnect(this.#plan, this);
    this.#fixes.forEach(fix => fix.dispose());
    this.#fixes.clear();
  }
}

/** Whether a cell ends in an error that an agent may fix. */
function hasFailed(model: ICellModel): boolean {
  if (!isCodeCellModel(model) || isLeftOut(model)) {
    return false;
  }
  const { outputs } = model;
  for (let index = outputs.length - 1; index >= 0; index -= 1) {
    const output = outputs.get(index);
    if (output.type === 'error') {
      // An interrupt is no error of the code, and a prompt cell has no code.
      const isInterrupt = output.toJSON()['ename'] === 'KeyboardInterrupt';
      return !isInterrupt && !isPromptCell(model.sharedModel.getSource());
    }
  }
  return false;
}

/** Removes a bar; if it had the focus, the cell gets it. */
function close(cell: Cell, bar: FixBar): void {
  const hadFocus = bar.node.contains(document.activeElement);
  bar.dispose();
  if (hadFocus && !cell.isDisposed) {
    cell.node.focus({ preventScroll: true });
  }
}

/** The widget under a cell that failed: the button, or the fix. */
class FixBar extends Widget {
  readonly #button: HTMLButtonElement;
  #mounted: Mounted<ProposalNoteProps> | null = null;

  constructor(fix: () => void, { app, t }: Pick<FixParts, 'app' | 't'>) {
    super();
    this.addClass('acp');
    this.addClass('acp-FixBar');
    this.node.dataset['host'] = 'panel';
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'btn small';
    button.textContent = t('Fix');
    const shortcut = shortcutOf(app, FIX_ERROR);
    button.title =
      shortcut === ''
        ? t('Ask the agent for a fix of this cell')
        : t('Ask the agent for a fix of this cell (%1)', shortcut);
    button.dataset['lmSuppressShortcuts'] = 'true';
    button.addEventListener('click', fix);
    this.#button = button;
  }

  /** Shows a fix, or the button. */
  draw(props: ProposalNoteProps | null, code: typeof Code | null): void {
    const hadFocus = this.node.contains(document.activeElement);
    if (props === null || code === null) {
      if (this.#button.parentElement === null) {
        this.#unmount();
        this.node.append(this.#button);
      }
    } else if (this.#mounted === null) {
      this.#unmount();
      this.#mounted = code.mountProposalNote(this.node, props);
    } else {
      this.#mounted.update(props);
    }
    // The focused element may be replaced.
    if (hadFocus && !this.node.contains(document.activeElement)) {
      this.focus();
    }
  }

  focus(): void {
    const target = this.node.querySelector<HTMLElement>('.acp-fix, button');
    target?.focus({ preventScroll: true });
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.#unmount();
      super.dispose();
    }
  }

  #unmount(): void {
    this.#mounted?.dispose();
    this.#mounted = null;
    this.node.replaceChildren();
  }
}
