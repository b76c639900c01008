import { isRecord } from '../../wire/read';
import type { Cell } from '../../wire/types';
import { withoutColours } from './without_colours';

/** What the user set for a cell: it goes along with each prompt, or it never leaves. */
export type CellContext = NonNullable<Cell['context']>;

/** What stands in place of a cell that is left out; agents read it, so it is not translated. */
export const LEFT_OUT = 'left out by the user';

/** What stands in place of the code of such a cell in a traceback. */
export const FRAME_LEFT_OUT = `[a frame of a cell that is ${LEFT_OUT}]`;

/** How a traceback names the cell of a frame: by its execution count, or by a temporary file. */
const FRAME = /\bIn ?\[(\d{1,9})\]|<ipython-input-(\d{1,9})-|\bipykernel_\d/g;

/** Whether the code with an execution count is left out. */
export type IsHidden = (count: number | null) => boolean;

/** What the user set for a cell, and its execution count. */
export type CellCount = readonly [context: CellContext | null, count: number | null];

/**
 * What says whether code is left out; `null` if no cell is. A traceback names the cell of a frame by
 * its execution count. Where cells are left out, so is code whose cell isn't found.
 */
export function hiddenCode(cells: readonly CellCount[]): IsHidden | null {
  const counts = (leftOut: boolean) =>
    new Set(
      cells.flatMap(([context, count]) => ((context === 'left-out') === leftOut ? [count] : [])),
    );
  const hidden = counts(true);
  const shown = counts(false);
  return hidden.size === 0
    ? null
    : count => hidden.has(count) || count === null || !shown.has(count);
}

/**
 * A traceback without colours, and without the code of cells that are left out; empty if cells are
 * left out and it names none, as other kernels write it.
 */
export function shownFrames(traceback: readonly string[], isHidden: IsHidden | null): string[] {
  const frames = traceback.map(withoutColours);
  if (isHidden === null) {
    return frames;
  }
  const counts = frames.map(countsIn);
  return counts.every(({ length }) => length === 0)
    ? []
    : frames.map((frame, index) => ((counts[index] ?? []).some(isHidden) ? FRAME_LEFT_OUT : frame));
}

function countsIn(frame: string): (number | null)[] {
  return [...frame.matchAll(FRAME)].map(found => {
    const count = found[1] ?? found[2];
    return count === undefined ? null : Number(count);
  });
}

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
  const known = cells.filter(isRecord);
  const isHidden = hiddenCode(known.map(cell => [contextIn(cell['metadata']), countOf(cell)]));
  if (isHidden === null) {
    return notebook;
  }
  const shown = known.map(cell =>
    contextIn(cell['metadata']) === 'left-out'
      ? {
          cell_type: cell['cell_type'],
          id: cell['id'],
          metadata: { acp: { context: 'left-out' } },
          source: `This cell is ${LEFT_OUT}.`,
          ...(cell['cell_type'] === 'code' ? { execution_count: null, outputs: [] } : {}),
        }
      : { ...cell, ...outputsOf(cell, isHidden) },
  );
  return { ...notebook, cells: shown };
}

function countOf(cell: Readonly<Record<string, unknown>>): number | null {
  const count = cell['execution_count'];
  return typeof count === 'number' ? count : null;
}

function outputsOf(cell: Readonly<Record<string, unknown>>, isHidden: IsHidden) {
  const outputs = cell['outputs'];
  return Array.isArray(outputs)
    ? { outputs: outputs.map((output: unknown) => withShownFrames(output, isHidden)) }
    : {};
}

function withShownFrames(output: unknown, isHidden: IsHidden): unknown {
  const traceback = isRecord(output) ? output['traceback'] : null;
  return isRecord(output) && Array.isArray(traceback)
    ? { ...output, traceback: shownFrames(traceback.map(String), isHidden) }
    : output;
}
