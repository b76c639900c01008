import type { Cell } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';
import { PanelLayout, Widget } from '@lumino/widgets';

import type { Mounted } from '../../views';
import type { ProposalNoteProps } from '../../lab/proposal/proposal_note';
import { mountProposalNote, Suggestion } from './suggestion';
import type { SuggestionParts } from './suggestion';

/** Shows the suggestion of one notebook under the cell that it would follow. */
export class SuggestionBar {
  readonly #parts: SuggestionParts;
  readonly #model: INotebookModel | null;
  #suggestion: Suggestion | null = null;
  #bar: Bar | null = null;

  constructor(parts: SuggestionParts) {
    this.#parts = parts;
    this.#model = parts.notebook.content.model;
    this.#model?.cells.changed.connect(this.#draw, this);
    parts.notebook.disposed.connect(() => {
      this.#model?.cells.changed.disconnect(this.#draw, this);
      this.#end();
    });
  }

  /** Goes to the existing suggestion. */
  focus(): boolean {
    const bar = this.#bar;
    bar?.focus();
    return bar !== null;
  }

  /** Asks for a cell below another; an earlier request is withdrawn. */
  suggest(cellId: string): void {
    this.#end();
    this.#suggestion = new Suggestion(this.#parts, cellId, {
      changed: () => this.#draw(),
      end: () => this.#end(),
      again: () => this.suggest(cellId),
    });
    this.#bar = new Bar();
    this.#draw();
    this.#suggestion.start();
  }

  #draw(): void {
    const suggestion = this.#suggestion;
    if (suggestion === null) {
      return;
    }
    const { widgets, model } = this.#parts.notebook.content;
    if (![...(model?.cells ?? [])].some(({ id }) => id === suggestion.cellId)) {
      this.#end();
      return;
    }
    const cell = widgets.find(each => each.model.id === suggestion.cellId);
    if (cell?.isPlaceholder() === true) {
      void cell.ready.then(() => this.#draw());
    } else if (cell !== undefined) {
      // A moved cell gets a new widget; the bar was removed with the old one.
      const bar = this.#bar?.isDisposed === false ? this.#bar : new Bar();
      this.#bar = bar;
      bar.draw(cell, suggestion.props());
    }
  }

  #end(): void {
    this.#suggestion?.dispose();
    this.#suggestion = null;
    const bar = this.#bar;
    this.#bar = null;
    const hadFocus = bar?.node.contains(document.activeElement) === true;
    bar?.dispose();
    if (hadFocus && !this.#parts.notebook.isDisposed) {
      this.#parts.notebook.content.activeCell?.node.focus({ preventScroll: true });
    }
  }
}

/** The widget under the cell. It isn't part of the notebook's document. */
class Bar extends Widget {
  #mounted: Mounted<ProposalNoteProps> | null = null;

  constructor() {
    super();
    this.addClass('acp');
    this.addClass('acp-FixBar');
    this.node.dataset['host'] = 'panel';
  }

  draw(cell: Cell, props: ProposalNoteProps): void {
    const { layout } = cell;
    if (this.parent !== cell && layout instanceof PanelLayout) {
      layout.addWidget(this);
    }
    if (this.#mounted === null) {
      this.#mounted = mountProposalNote(this.node, props);
    } else {
      this.#mounted.update(props);
    }
  }

  focus(): void {
    this.node.querySelector<HTMLElement>('.acp-fix')?.focus({ preventScroll: true });
    this.node.scrollIntoView({ block: 'nearest' });
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.#mounted?.dispose();
      super.dispose();
    }
  }
}
