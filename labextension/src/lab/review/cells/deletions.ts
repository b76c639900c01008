import type { DeletedCell } from '../../documents/merge/deleted_cells';
import type { CellStep, ChangedCell } from './changed_cells';

interface Deletions {
  readonly shown: readonly ChangedCell[];
  /** Deletions that the user dismissed before the turn ended. */
  readonly kept: readonly CellStep[];
}

/**
 * Joins the changes of finished turns with the cells that tools deleted in this page.
 *
 * The page knows those at once, with their outputs; the server compares a turn's files only when it
 * has ended, and not in every folder.
 *
 * @param nameOf - Name of an agent, by its id.
 */
export function withDeleted(
  changedList: readonly ChangedCell[],
  deleted: readonly DeletedCell[],
  nameOf: (agentId: string) => string,
): Deletions {
  const kept: CellStep[] = [];
  const left = new Map(deleted.map(each => [each.cell.id, each]));
  const shown = changedList.flatMap((changed): ChangedCell[] => {
    const own = left.get(changed.cellId);
    const turnId = changed.steps[changed.steps.length - 1]?.turnId;
    if (own === undefined || changed.after !== null || own.by.turn !== turnId) {
      return [changed];
    }
    left.delete(changed.cellId);
    if (own.dismissed) {
      kept.push(...changed.steps);
      return [];
    }
    const isSame = changed.before?.source === own.cell.source;
    return [{ ...changed, sure: true, before: isSame ? own.cell : changed.before }];
  });
  const others = [...left.values()]
    .filter(({ dismissed }) => !dismissed)
    .sort((one, other) => one.above.length - other.above.length); // in their order in the notebook
  // An earlier change of a deleted cell would be shown twice.
  const gone = new Set(left.keys());
  return {
    shown: [
      ...shown.filter(({ cellId }) => !gone.has(cellId)),
      ...others.map(({ cell, above, by }) => ({
        ...{ cellId: cell.id, before: cell, after: null, above, agent: nameOf(by.agent) },
        ...{ sure: true, steps: [] },
      })),
    ],
    kept,
  };
}
