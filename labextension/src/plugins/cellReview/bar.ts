import type { Cell } from '@jupyterlab/cells';
import { PanelLayout, Widget } from '@lumino/widgets';

import type { Mounted } from '../../views';
import { mountCellNote, type CellNoteProps } from './note';

/** A quiet line under a cell that agents changed. It goes with its cell. */
export class CellBar extends Widget {
  readonly #mounted: Mounted<CellNoteProps>;

  constructor(props: CellNoteProps) {
    super();
    this.addClass('acp-CellBar');
    this.#mounted = mountCellNote(this.node, props);
  }

  /** Puts it below all else of a cell that is drawn. */
  static under(cell: Cell, props: CellNoteProps): CellBar | null {
    const bar = new CellBar(props);
    if (!(cell.layout instanceof PanelLayout)) {
      bar.dispose();
      return null;
    }
    cell.layout.addWidget(bar);
    return bar;
  }

  refresh(props: CellNoteProps): void {
    this.#mounted.update(props);
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.#mounted.dispose();
      super.dispose();
    }
  }
}
