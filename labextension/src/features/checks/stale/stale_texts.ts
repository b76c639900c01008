import type { Translate } from '../../../views';
import type { CellRun, StaleCause } from '../../../wire/types';
import type { CellStep } from '../../../lab/review/cells/changed_cells';

/** A change, by an agent or a revert, of the cell on which a stale one depends. */
interface Touch {
  readonly how: 'changed' | 'added' | 'deleted' | 'reverted';
  readonly agent: string;
  readonly sure: boolean;
}

/** The current notebook, to name its cells. */
export interface NamedCells {
  /** Number of a cell, from 1; `null` if it is gone. */
  readonly number: (cellId: string) => number | null;
  readonly source: (cellId: string) => string | null;
}

/** Who changed a cell since the stale one ran; `null` for the user's own edits. */
export function touchOf(
  { cell_id: cellId, run }: StaleCause,
  runs: readonly CellRun[],
  steps: readonly CellStep[],
  cells: NamedCells,
): Touch | null {
  const now = cells.source(cellId);
  const ran = run === null ? undefined : (runs[run]?.source ?? null);
  for (const { cellId: id, before, after, agent, sure } of [...steps].reverse()) {
    const [was, is] = [before?.source ?? null, after?.source ?? null];
    if (id !== cellId) {
      continue;
    }
    if (now === was && (ran === undefined || ran === is)) {
      return { how: 'reverted', agent, sure };
    }
    if (now === is || ran === was) {
      return { how: is === null ? 'deleted' : was === null ? 'added' : 'changed', agent, sure };
    }
  }
  return null;
}

/** Why a cell is stale, in a sentence without its full stop. */
export function staleWords(
  cause: StaleCause,
  touch: Touch,
  cells: NamedCells,
  t: Translate,
): string {
  const how = howWords(touch, t);
  const first = cause.path[0];
  if (first === undefined) {
    return t('%1 after it ran', how);
  }
  const setter = cells.number(first.cell_id);
  const changed = cells.number(cause.cell_id);
  if (first.cell_id === cause.cell_id) {
    return changed === null
      ? t('uses %1 of a cell that was %2', first.name, how)
      : t('uses %1, which cell %2 sets; cell %2 was %3', first.name, changed, how);
  }
  const from = setter === null ? first.name : t('%1 of cell %2', first.name, setter);
  return changed === null
    ? t('uses %1, which depends on a cell that was %2', from, how)
    : t('uses %1, which depends on cell %2; cell %2 was %3', from, changed, how);
}

function howWords({ how, agent, sure }: Touch, t: Translate): string {
  switch (how) {
    case 'changed':
      return sure ? t('changed by %1', agent) : t('changed during a turn of %1', agent);
    case 'added':
      return sure ? t('added by %1', agent) : t('added during a turn of %1', agent);
    case 'deleted':
      return sure ? t('deleted by %1', agent) : t('deleted during a turn of %1', agent);
    case 'reverted':
      return t('reverted');
  }
}

/** The newest runs whose sources have at most `chars` characters in total. */
export function newestRuns(runs: readonly CellRun[], chars: number): CellRun[] {
  let [left, first] = [chars, runs.length];
  for (const { source } of [...runs].reverse()) {
    left -= source.length;
    if (left < 0) {
      break;
    }
    first -= 1;
  }
  return runs.slice(first);
}
