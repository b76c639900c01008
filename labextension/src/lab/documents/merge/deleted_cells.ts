import { Listeners } from '../../../delivery/listeners';
import type { AcpMark } from '../../../wire/types';
import type { CellJson } from './notebook_json';

/** Number of deleted cells that are remembered per notebook. */
const MAX_CELLS = 50;

/**
 * Longest outputs of a cell, as JSON, that are remembered; a cell with longer ones is restored
 * without outputs.
 */
const MAX_OUTPUTS = 2_000_000;

/** A cell that a tool deleted from an open notebook, as it was. */
export interface DeletedCell {
  readonly cell: CellJson;
  /** Ids of the cells above it, the nearest last, including cells that were deleted before it. */
  readonly above: readonly string[];
  /** The agent whose tool it was. */
  readonly by: AcpMark;
  /** Whether the user dismissed it. */
  readonly dismissed: boolean;
}

/** The cells that tools deleted from an open notebook, until they are back. */
export class DeletedCells {
  readonly changed = new Listeners<undefined>();
  #all: readonly DeletedCell[] = [];

  /** All of them, in the order of their deletion. */
  get all(): readonly DeletedCell[] {
    return this.#all;
  }

  /** @param ids - Of the notebook's cells, with the one that is deleted. */
  add(cell: CellJson, ids: readonly string[], by: AcpMark): void {
    const whole = [...ids];
    for (const { cell: other, above } of this.#all) {
      if (!whole.includes(other.id)) {
        whole.splice(whole.indexOf(nearest(above, new Set(whole)) ?? '') + 1, 0, other.id);
      }
    }
    const outputs = JSON.stringify(cell.outputs).length > MAX_OUTPUTS ? [] : cell.outputs;
    const deleted = {
      cell: { ...cell, outputs },
      above: whole.slice(0, whole.indexOf(cell.id)),
      by,
      dismissed: false,
    };
    this.#all = [...this.#without([cell.id]), deleted].slice(-MAX_CELLS);
    this.changed.emit(undefined);
  }

  dismiss(cellId: string): void {
    this.#all = this.#all.map(each =>
      each.cell.id === cellId ? { ...each, dismissed: true } : each,
    );
    this.changed.emit(undefined);
  }

  /** Forgets cells, such as restored ones. */
  forget(ids: Iterable<string>): void {
    this.#all = this.#without(ids);
  }

  #without(ids: Iterable<string>): readonly DeletedCell[] {
    const gone = new Set(ids);
    return this.#all.filter(({ cell }) => !gone.has(cell.id));
  }
}

/** The last of some ids that is also in another list. */
export function nearest(above: readonly string[], ids: ReadonlySet<string>): string | null {
  return [...above].reverse().find(id => ids.has(id)) ?? null;
}

const byNotebook = new WeakMap<object, DeletedCells>();

/** The deleted cells of a notebook, which may have several views. */
export function deletedCells(notebook: object): DeletedCells {
  const known = byNotebook.get(notebook) ?? new DeletedCells();
  byNotebook.set(notebook, known);
  return known;
}
