import { Cell } from '@jupyterlab/cells';
import { NotebookPanel } from '@jupyterlab/notebook';
import type { Widget } from '@lumino/widgets';

/** The cell that a widget is an output of. */
export interface OutputCell {
  readonly cell: Cell;
  readonly panel: NotebookPanel;
}

/** Walks up from an output to its cell and notebook; `null` elsewhere, e.g. in a copied view. */
export function cellOfOutput(output: Widget): OutputCell | null {
  let cell: Cell | null = null;
  for (let widget = output.parent; widget !== null; widget = widget.parent) {
    if (widget instanceof Cell) {
      cell ??= widget;
    } else if (widget instanceof NotebookPanel) {
      return cell === null ? null : { cell, panel: widget };
    }
  }
  return null;
}
