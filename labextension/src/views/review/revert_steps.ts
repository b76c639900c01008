import type { Actions, RevertChoice } from '../actions';
import { useDecisions } from '../changes/decisions';
import type { Decided } from '../changes/decisions';
import type { DiffHunk } from '../diff/hunks';
import { useScene } from '../scene';
import { earlierOf } from './entries';
import type { Entry, TurnEntries } from './entries';

/**
 * Several turns may have changed one file. A change can be taken back only where
 * nothing lies over it, so the later ones go first; and it is put back only
 * where all that it was made on is there again.
 */

type Revert = NonNullable<Actions['revertTurn']>;

export interface RevertStep {
  readonly turnId: string;
  readonly choice: RevertChoice;
}

/** Changes of the same file that lie over one, the newest first. `entries` are in order. */
export function laterOf(entry: Entry, entries: readonly Entry[]): Entry[] {
  const later = entries.slice(entries.indexOf(entry) + 1);
  return later.filter(other => !other.file.reverted && sameFile(entry, other)).reverse();
}

/** What is done to take back all that a turn did to a file, or to put it back. */
export function stepsFor(entry: Entry, entries: readonly Entry[], undo: boolean): RevertStep[] {
  if (!undo) {
    return [...laterOf(entry, entries), entry].map(takeBack);
  }
  const former = entries.slice(0, entries.indexOf(entry));
  const below = former.filter(other => sameFile(entry, other)).flatMap(putBack);
  return [...below, stepOf(entry, { paths: [entry.file.path], undo: true })];
}

/** What is done to take back whole files that stand at a turn, or to put them back. */
export function wholeSteps(of: TurnEntries, chosen: readonly Entry[], undo: boolean): RevertStep[] {
  const how = undo ? { undo } : {};
  const isSingle = ({ turns }: Entry) => turns.length === 1;
  const single = chosen.filter(isSingle);
  const joined = chosen.filter(entry => !isSingle(entry));
  const steps = joined.map(entry => stepOf(entry, { paths: [entry.file.path], ...how }));
  // Without paths it is all that the turn changed, also what was too much to be told.
  const isAlone = of.entries.filter(isSingle).length === of.changes.files.length;
  const isAll = isAlone && (undo || single.length === of.entries.length);
  const paths = isAll ? {} : { paths: single.map(({ file }) => file.path) };
  const turnId = of.turn.turn_id;
  return single.length === 0 ? steps : [...steps, { turnId, choice: { ...paths, ...how } }];
}

/** Does them one after the other; if one fails, those before it are undone. */
export async function runSteps(revert: Revert, steps: readonly RevertStep[]): Promise<void> {
  const done: RevertStep[] = [];
  for (const { turnId, choice } of steps) {
    try {
      await revert(turnId, choice);
      done.unshift({ turnId, choice: { ...choice, undo: choice.undo !== true } });
    } catch (error) {
      for (const step of done) {
        await revert(step.turnId, step.choice).catch(() => undefined); // it says itself how it is
      }
      throw error;
    }
  }
}

/** One that is asked for of all the turns whose changes are one. */
export function stepOf(entry: Entry, choice: RevertChoice): RevertStep {
  const earlier = earlierOf(entry);
  return {
    turnId: entry.turn.turn_id,
    choice: earlier.length > 0 ? { ...choice, earlier } : choice,
  };
}

function takeBack(entry: Entry): RevertStep {
  return stepOf(entry, { paths: [entry.file.path] });
}

function putBack(entry: Entry): RevertStep[] {
  const { path, reverted, reverted_hunks: hunks } = entry.file;
  const whole = stepOf(entry, { paths: [path], undo: true });
  const parts = stepOf(entry, { hunks: { path, hunks }, undo: true });
  return [...(reverted ? [whole] : []), ...(hunks.length > 0 ? [parts] : [])];
}

/** How many files these are of. */
export function countFiles(entries: readonly Entry[]): number {
  return new Set(entries.map(entry => fileKeysOf(entry)[0])).size;
}

/** Whether both touch the same place on disk; sessions may have different folders. */
function sameFile(one: Entry, other: Entry): boolean {
  const keys = fileKeysOf(one);
  return fileKeysOf(other).some(key => keys.includes(key));
}

function fileKeysOf({ file, source }: Entry): string[] {
  const root = source.store.view.session?.cwd ?? '';
  return [file.path, file.old_path].filter(path => path !== '').map(path => `${root}/${path}`);
}

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
