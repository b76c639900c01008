import { isRecord } from '../../wire/read';
import type { Cell } from '../../wire/types';

/** What the user set for a cell: it goes along with each prompt, or it never leaves. */
export type CellContext = NonNullable<Cell['context']>;

/** What stands in place of a cell that is left out; agents read it, so it is not translated. */
export const LEFT_OUT = 'left out by the user';

/** What a cell's metadata says; `null` if nothing that is known. */
export function contextIn(metadata: unknown): CellContext | null {
  const acp = isRecord(metadata) ? metadata['acp'] : null;
  const context = isRecord(acp) ? acp['context'] : null;
  return context === 'pinned' || context === 'left-out' ? context : null;
}

/** What is used of the model of a cell. */
export interface Marked {
  getMetadata(key: string): unknown;
  setMetadata(key: string, value: unknown): void;
  deleteMetadata(key: string): void;
}

export function contextOf(model: Marked): CellContext | null {
  return contextIn({ acp: model.getMetadata('acp') });
}

/** Whether nothing of a cell may go to an agent. */
export function isLeftOut(model: Marked): boolean {
  return contextOf(model) === 'left-out';
}

/** Sets it, or removes it with `null`; what else the metadata says of the cell stays. */
export function setContext(model: Marked, context: CellContext | null): void {
  const acp = model.getMetadata('acp');
  const entries = Object.entries(isRecord(acp) ? acp : {}).filter(([name]) => name !== 'context');
  const others = Object.fromEntries(entries);
  if (context !== null) {
    model.setMetadata('acp', { ...others, context });
  } else if (entries.length > 0) {
    model.setMetadata('acp', others);
  } else {
    model.deleteMetadata('acp');
  }
}

/** A notebook's JSON without the content of cells that are left out. */
export function withoutLeftOut(notebook: unknown): unknown {
  const cells: unknown = isRecord(notebook) ? notebook['cells'] : null;
  if (!isRecord(notebook) || !Array.isArray(cells)) {
    return notebook;
  }
  const shown = cells.map((cell: unknown) =>
    isRecord(cell) && contextIn(cell['metadata']) === 'left-out'
      ? {
          cell_type: cell['cell_type'],
          id: cell['id'],
          metadata: { acp: { context: 'left-out' } },
          source: `This cell is ${LEFT_OUT}.`,
          ...(cell['cell_type'] === 'code' ? { execution_count: null, outputs: [] } : {}),
        }
      : cell,
  );
  return { ...notebook, cells: shown };
}
