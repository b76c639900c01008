import type { DiffHunk } from '../items/diff_hunks';
import { useScene } from '../parts/scene';
import { useDecisions, type Decided } from './decisions';
import type { Entry } from './entries';
import { laterOf, runSteps, stepOf, stepsFor } from './order';

interface Ordered {
  /** Changes of the file that lie over this one, the newest first. */
  readonly later: readonly Entry[];
  readonly decided: (hunk?: DiffHunk) => Decided;
}

/** How to decide on a file among those of other turns: with what lies over it, and under it. */
export function useOrdered(entry: Entry, entries: readonly Entry[]): Ordered {
  const { actions } = useScene();
  const { turnId, choice } = stepOf(entry, {});
  const { file, marked, revertible } = entry;
  const decisions = useDecisions({ turnId, earlier: choice.earlier, file, marked, revertible });
  const later = laterOf(entry, entries);
  const revertTurn = actions?.revertTurn;
  const stuck = later.some(({ file, revertible }) => !revertible || !file.kept);
  const decided = (hunk?: DiffHunk): Decided => {
    const own = decisions(hunk);
    if (own.revert === undefined || revertTurn === undefined) {
      return own;
    }
    if (hunk === undefined) {
      const revert = (undo: boolean) => runSteps(revertTurn, stepsFor(entry, entries, undo));
      return stuck ? { ...own, revert: undefined } : { ...own, revert };
    }
    // A part of it can't be taken out from under a later change.
    return later.length === 0
      ? own
      : { ...own, revert: undefined, canUndo: own.canUndo && own.decision === 'kept' };
  };
  return { later, decided };
}
