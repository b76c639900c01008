import { compareCells } from '../../../views/diff/compare_cells';
import { isRecord } from '../../../wire/read';
import type { FileTexts, Hunk } from '../../../wire/types';
import { readCells } from '../../documents/merge/notebook_json';
import type { CellJson } from '../../documents/merge/notebook_json';

/** A turn's change of one cell; `before` or `after` is `null` if the cell did not exist. */
export interface CellStep {
  readonly turnId: string;
  /** Path of the notebook, as the turn names it. */
  readonly path: string;
  /** Range of the change in the file; decisions on it are remembered by this range. */
  readonly range: Hunk;
  readonly cellId: string;
  readonly before: CellJson | null;
  readonly after: CellJson | null;
  /** Ids of the cells above it, the nearest last. */
  readonly above: readonly string[];
  readonly agent: string;
  /** Whether only the agent can have made the change. */
  readonly sure: boolean;
}

/** Changes of a cell by consecutive turns, each based on the result of the one before. */
export interface ChangedCell extends Pick<
  CellStep,
  'cellId' | 'before' | 'after' | 'above' | 'agent'
> {
  readonly steps: readonly CellStep[];
  readonly sure: boolean;
}

/** State of a change in the present notebook. */
export type CellStanding = 'open' | 'changed_since' | 'undone';

/**
 * The changes of a turn in a notebook's cell sources; empty if the notebook can't be read.
 *
 * The user may edit the notebook during the turn. If tools marked the cells they wrote, only those
 * count, unless they were edited since. Otherwise a change is certainly the agent's only if nobody
 * else changed the notebook (`alone`).
 */
export function stepsOf(
  { turnId, agent, alone }: { turnId: string; agent: string; alone: boolean },
  texts: FileTexts,
): CellStep[] {
  const { path, old_text, new_text } = texts;
  if (old_text === '') {
    return []; // the file was being saved when the turn started
  }
  const was = cellsOf(old_text);
  const is = cellsOf(new_text);
  const compared = compareCells({
    path,
    old_text,
    new_text: new_text ?? '',
    is_new_file: false,
    old_line: 1,
    new_line: 1,
    added: null,
    removed: null,
  });
  const hasMarks = is.some(cell => markOf(cell) === turnId);
  const isTools = (cell: CellJson | null) =>
    markOf(cell) === turnId && !texts.edited_cells.includes(cell?.id ?? '');
  const steps = (compared?.rows ?? []).flatMap((row): CellStep[] => {
    if (row.kind === 'same' || row.kind === 'moved') {
      return []; // moved cells are left to the review of the file
    }
    const { range } = row;
    const before = row.kind === 'added' ? null : (was[range.old_start] ?? null);
    const after = row.kind === 'deleted' ? null : (is[range.new_start] ?? null);
    const cellId = (before ?? after)?.id ?? '';
    // The review of the file shows a cell whose type has changed.
    const isSame = before?.source === after?.source || !haveOneType(before, after);
    if (cellId === '' || (before !== null && after !== null && isSame)) {
      return [];
    }
    const above = (before === null ? is.slice(0, range.new_start) : was.slice(0, range.old_start))
      .map(({ id }) => id)
      .filter(id => id !== '');
    const sure = hasMarks ? isTools(after) : alone && texts.kept;
    return [{ turnId, path, range, cellId, before, after, above, agent, sure }];
  });
  return hasMarks ? steps.filter(({ sure, after }) => sure || after === null) : steps;
}

/** Joins consecutive changes of the same cell; `steps` are in order. */
export function changedCells(
  steps: readonly CellStep[],
  isKept: (step: CellStep) => boolean,
): ChangedCell[] {
  const found = new Map<string, ChangedCell>();
  for (const step of steps) {
    const { cellId, before, after, above, agent } = step;
    const last = found.get(cellId);
    found.delete(cellId);
    if (isKept(step)) {
      continue;
    }
    const goesOn = last !== undefined && sourceOf(last.after) === sourceOf(before);
    const sure = step.sure && (!goesOn || last.sure);
    const earlier = goesOn ? last.steps : [];
    const first = goesOn ? last.before : before;
    found.set(cellId, {
      ...{ cellId, after, above, agent, sure },
      before: first,
      steps: [...earlier, step],
    });
  }
  return [...found.values()].filter(({ before, after }) => sourceOf(before) !== sourceOf(after));
}

/** @param source - The cell's current source; `null` if there is no cell. */
export function standingOf({ before, after }: ChangedCell, source: string | null): CellStanding {
  if (source === sourceOf(after)) {
    return 'open';
  }
  const isThere = source !== null && after !== null;
  return source === sourceOf(before) || !isThere ? 'undone' : 'changed_since';
}

function sourceOf(cell: CellJson | null): string | null {
  return cell === null ? null : cell.source;
}

function haveOneType(before: CellJson | null, after: CellJson | null): boolean {
  return before === null || after === null || before.cell_type === after.cell_type;
}

function markOf(cell: CellJson | null): unknown {
  const mark = cell?.metadata['acp'];
  return isRecord(mark) ? mark['turn'] : undefined;
}

function cellsOf(text: string | null): readonly CellJson[] {
  try {
    return readCells(JSON.parse(text ?? '')) ?? [];
  } catch {
    return [];
  }
}
