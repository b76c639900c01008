import type { SessionView } from '../../state/view';
import type { ChangedFile, Diff, TurnChanges } from '../../wire/types';
import { hunkKey, hunksOf } from '../items/diff_hunks';
import { compare } from '../items/diff_lines';
import type { Decision } from './decide';
import { decisionOf, hasParts } from './decisions';
import { WHOLE } from './kept';

/** One file that a turn changed. */
export interface Entry {
  readonly key: string;
  readonly turnId: string;
  readonly file: ChangedFile;
  readonly revertible: boolean;
}

/** The files of one turn. */
export interface TurnEntries {
  readonly turnId: string;
  readonly prompt: string;
  readonly changes: TurnChanges;
  readonly entries: readonly Entry[];
}

type IsKept = (turnId: string, path: string, change: string) => boolean;

/** What a turn changed, or all turns of the session, in their order. */
export function turnEntries(view: SessionView, turnId: string | null): TurnEntries[] {
  const turns = [...view.turns.values()].filter(
    turn => turn.changes !== null && (turnId === null || turn.turn_id === turnId),
  );
  turns.sort((one, other) => (one.queued_at ?? 0) - (other.queued_at ?? 0));
  return turns.flatMap(({ turn_id, prompt, changes }) =>
    changes === null
      ? []
      : {
          turnId: turn_id,
          prompt,
          changes,
          entries: changes.files.map(file => ({
            key: `${turn_id} ${file.path}`,
            turnId: turn_id,
            file,
            revertible: changes.revertible,
          })),
        },
  );
}

/** How a file stands, by what was decided on all of it or on each of its changes. */
export function standing(entry: Entry, diff: Diff | undefined, isKept: IsKept): Decision {
  const { turnId, file } = entry;
  const whole = decisionOf(file, isKept(turnId, file.path, WHOLE));
  const parts = whole === 'open' ? partsOf(entry, diff) : [];
  if (parts.length === 0 || openParts(entry, diff, isKept).length > 0) {
    return whole;
  }
  const kept = parts.some(range => isKept(turnId, file.path, hunkKey(range)));
  return kept ? 'kept' : 'reverted';
}

/** The changes in a file that nothing was decided on, as far as they are known. */
export function openParts(
  entry: Entry,
  diff: Diff | undefined,
  isKept: IsKept,
): ChangedFile['reverted_hunks'] {
  const { turnId, file } = entry;
  const gone = new Set(file.reverted_hunks.map(hunkKey));
  return partsOf(entry, diff).filter(
    range => !gone.has(hunkKey(range)) && !isKept(turnId, file.path, hunkKey(range)),
  );
}

function partsOf({ file }: Entry, diff: Diff | undefined): ChangedFile['reverted_hunks'] {
  const comparison = diff === undefined || !hasParts(file) ? null : compare(diff);
  return comparison === null
    ? []
    : hunksOf(comparison).flatMap(hunk => (hunk === null ? [] : [hunk.range]));
}
