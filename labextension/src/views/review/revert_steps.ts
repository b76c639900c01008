import type { Actions, RevertChoice } from '../actions';
import type { Hunk } from '../../wire/types';
import { isTurns } from '../../state/changed_files';
import { useDecisions } from '../changes/decisions';
import type { Decided } from '../changes/decisions';
import type { DiffHunk } from '../diff/hunks';
import { useScene } from '../scene';
import { earlierOf } from './entries';
import type { Entry, TurnEntries } from './entries';

/**
 * Several turns may have changed one file. A change can be reverted only if no later change depends
 * on it, so later ones are reverted first; undoing that goes in the opposite order.
 */

type Revert = NonNullable<Actions['revertTurn']>;

export interface RevertStep {
  readonly turnId: string;
  readonly choice: RevertChoice;
}

/** Later changes of the same file, the newest first. `entries` are in order. */
export function laterOf(entry: Entry, entries: readonly Entry[]): Entry[] {
  // The server says what of a copy can be kept, or taken out again.
  const later = entry.turn.in_copy ? [] : entries.slice(entries.indexOf(entry) + 1);
  return later.filter(other => !other.file.reverted && sameFile(entry, other)).reverse();
}

/** The steps that revert a turn's change of a file, or undo that. */
export function stepsFor(entry: Entry, entries: readonly Entry[], undo: boolean): RevertStep[] {
  if (!undo) {
    return [...laterOf(entry, entries), entry].map(takeBack);
  }
  const former = entries.slice(0, entries.indexOf(entry));
  const below = former.filter(other => sameFile(entry, other)).flatMap(putBack);
  return [...below, stepOf(entry, { paths: [entry.file.path], undo: true })];
}

/** The steps that revert whole files of a turn, or undo that. */
export function wholeSteps(of: TurnEntries, chosen: readonly Entry[], undo: boolean): RevertStep[] {
  const how = undo ? { undo } : {};
  const isSingle = ({ turns }: Entry) => turns.length === 1;
  const single = chosen.filter(isSingle);
  const joined = chosen.filter(entry => !isSingle(entry));
  const steps = joined.map(entry => stepOf(entry, { paths: [entry.file.path], ...how }));
  // Without paths everything that the turn changed is reverted, also files that are not listed.
  const isAlone = of.entries.filter(isSingle).length === of.changes.files.filter(isTurns).length;
  const isAll = isAlone && (undo || single.length === of.entries.length);
  const paths = isAll ? {} : { paths: single.map(({ file }) => file.path) };
  const turnId = of.turn.turn_id;
  return single.length === 0 ? steps : [...steps, { turnId, choice: { ...paths, ...how } }];
}

/** The steps that keep what is open of turns in copies. */
export function keepSteps(
  turns: readonly TurnEntries[],
  open: readonly Entry[],
  openOf: (entry: Entry) => readonly Hunk[] | null,
): RevertStep[] {
  return turns.flatMap(({ turn, entries }) => {
    const chosen = entries.filter(entry => entry.turn.in_copy && open.includes(entry));
    const parts = chosen.flatMap(entry => {
      const hunks = openOf(entry);
      return hunks === null ? [] : { entry, hunks: { path: entry.file.path, hunks: [...hunks] } };
    });
    const whole = chosen.filter(entry => parts.every(part => part.entry !== entry));
    // Without paths also files that are not listed are kept.
    const paths = whole.length === entries.length ? {} : { paths: whole.map(pathOf) };
    const turnId = turn.turn_id;
    return [
      ...parts.map(({ hunks }) => ({ turnId, choice: { hunks, undo: true } })),
      ...(whole.length > 0 ? [{ turnId, choice: { ...paths, undo: true } }] : []),
    ];
  });
}

/** The steps that take files of turns in copies out of the folder again. */
export function takeOutSteps(
  turns: readonly TurnEntries[],
  chosen: readonly Entry[],
): RevertStep[] {
  return [...turns].reverse().flatMap(({ turn, entries }) => {
    const paths = entries.filter(entry => chosen.includes(entry)).map(pathOf);
    return paths.length > 0 ? [{ turnId: turn.turn_id, choice: { paths } }] : [];
  });
}

function pathOf({ file }: Entry): string {
  return file.path;
}

/** Runs steps one by one; if one fails, those before it are undone. */
export async function runSteps(revert: Revert, steps: readonly RevertStep[]): Promise<void> {
  const done: RevertStep[] = [];
  for (const { turnId, choice } of steps) {
    try {
      await revert(turnId, choice);
      done.unshift({ turnId, choice: { ...choice, undo: choice.undo !== true } });
    } catch (error) {
      for (const step of done) {
        await revert(step.turnId, step.choice).catch(() => undefined); // its state is shown anyway
      }
      throw error;
    }
  }
}

/** A step for all turns whose changes are joined. */
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

/** Number of files of these entries. */
export function countFiles(entries: readonly Entry[]): number {
  return new Set(entries.map(entry => fileKeysOf(entry)[0])).size;
}

/** Whether both are about the same file on disk; sessions may have different folders. */
function sameFile(one: Entry, other: Entry): boolean {
  const keys = fileKeysOf(one);
  return fileKeysOf(other).some(key => keys.includes(key));
}

function fileKeysOf({ file, source }: Entry): string[] {
  const root = source.store.view.session?.cwd ?? '';
  return [file.path, file.old_path].filter(path => path !== '').map(path => `${root}/${path}`);
}

interface Ordered {
  /** Later changes of the file, the newest first. */
  readonly later: readonly Entry[];
  readonly decided: (hunk?: DiffHunk) => Decided;
}

/** Decisions on a file that other turns changed, too: later changes are reverted with it. */
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
    if (own.put !== undefined) {
      return own;
    }
    if (own.revert === undefined || revertTurn === undefined) {
      return own;
    }
    if (hunk === undefined) {
      const revert = (undo: boolean) => runSteps(revertTurn, stepsFor(entry, entries, undo));
      return stuck ? { ...own, revert: undefined } : { ...own, revert };
    }
    // A part of it can't be reverted while a later change depends on it.
    return later.length === 0
      ? own
      : { ...own, revert: undefined, canUndo: own.canUndo && own.decision === 'kept' };
  };
  return { later, decided };
}
