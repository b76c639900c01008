import type { Actions, RevertChoice } from '../actions';
import type { Entry } from './entries';

/**
 * Several turns may have changed one file. A change can be taken back only where
 * nothing lies over it, so the later ones go first; and it is put back only
 * where all that it was made on is there again.
 */

type Revert = NonNullable<Actions['revertTurn']>;

export interface Step {
  readonly turnId: string;
  readonly choice: RevertChoice;
}

/** Changes of the same file that lie over one, the newest first. `entries` are in order. */
export function laterOf(entry: Entry, entries: readonly Entry[]): Entry[] {
  const later = entries.slice(entries.indexOf(entry) + 1);
  return later.filter(other => !other.file.reverted && sameFile(entry, other)).reverse();
}

/** What is done to take back all that a turn did to a file, or to put it back. */
export function stepsFor(entry: Entry, entries: readonly Entry[], undo: boolean): Step[] {
  if (!undo) {
    return [...laterOf(entry, entries), entry].map(takeBack);
  }
  const former = entries.slice(0, entries.indexOf(entry));
  const below = former.filter(other => sameFile(entry, other)).flatMap(putBack);
  return [...below, { turnId: entry.turnId, choice: { paths: [entry.file.path], undo: true } }];
}

/** Does them one after the other; if one fails, those before it are undone. */
export async function runSteps(revert: Revert, steps: readonly Step[]): Promise<void> {
  const done: Step[] = [];
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

function takeBack({ turnId, file }: Entry): Step {
  return { turnId, choice: { paths: [file.path] } };
}

function putBack({ turnId, file }: Entry): Step[] {
  const { path, reverted, reverted_hunks: hunks } = file;
  const whole: Step = { turnId, choice: { paths: [path], undo: true } };
  const parts: Step = { turnId, choice: { hunks: { path, hunks }, undo: true } };
  return [...(reverted ? [whole] : []), ...(hunks.length > 0 ? [parts] : [])];
}

/** How many files these are of. */
export function countFiles(entries: readonly Entry[]): number {
  return new Set(entries.map(entry => placesOf(entry)[0])).size;
}

/** Whether both touch the same place on disk; sessions may have different folders. */
function sameFile(one: Entry, other: Entry): boolean {
  const places = placesOf(one);
  return placesOf(other).some(place => places.includes(place));
}

function placesOf({ file, source }: Entry): string[] {
  const root = source.store.view.session?.cwd ?? '';
  return [file.path, file.old_path].filter(path => path !== '').map(path => `${root}/${path}`);
}
