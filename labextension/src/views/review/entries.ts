import type { SessionStore } from '../../state/store';
import type { ChangedFile, Diff, TurnChanges, TurnState } from '../../wire/types';
import type { Actions } from '../actions';
import { changesIn, hunkKey } from '../items/diff_hunks';
import { compareCells } from '../items/diff_notebook';
import type { Decision } from './decide';
import { decisionOf, hasParts } from './decisions';
import { WHOLE } from './kept';

/** A session whose turns are reviewed, and what may be asked of its host. */
export interface Source {
  readonly store: SessionStore;
  readonly actions: Actions;
}

/** Whose changes are shown. A run may have turns of several sessions. */
export type Scope =
  | { readonly kind: 'turn'; readonly turnId: string }
  | { readonly kind: 'run'; readonly name: string; readonly turnIds: readonly string[] }
  | { readonly kind: 'session' };

/** One file that a turn changed. */
export interface Entry {
  readonly key: string;
  readonly turnId: string;
  readonly file: ChangedFile;
  readonly revertible: boolean;
  readonly turn: TurnState;
  readonly source: Source;
}

/** The files of one turn. */
export interface TurnEntries {
  readonly turn: TurnState;
  readonly source: Source;
  readonly changes: TurnChanges;
  readonly entries: readonly Entry[];
}

type IsKept = (turnId: string, path: string, change: string) => boolean;

/** What the turns of a scope changed, in the order in which they ended. */
export function turnEntries(sources: readonly Source[], scope: Scope): TurnEntries[] {
  const found = (scope.kind === 'session' ? sources.slice(0, 1) : sources).flatMap(source =>
    [...source.store.view.turns.values()].flatMap(turn =>
      turn.changes !== null && isIn(turn, scope) ? { turn, source, changes: turn.changes } : [],
    ),
  );
  found.sort((one, other) => lastTime(one.turn) - lastTime(other.turn));
  return found.map(({ turn, source, changes }) => ({
    turn,
    source,
    changes,
    entries: changes.files.map(file => ({
      key: `${turn.turn_id} ${file.path}`,
      turnId: turn.turn_id,
      file,
      revertible: changes.revertible,
      turn,
      source,
    })),
  }));
}

function isIn({ turn_id }: TurnState, scope: Scope): boolean {
  switch (scope.kind) {
    case 'turn':
      return turn_id === scope.turnId;
    case 'run':
      return scope.turnIds.includes(turn_id);
    case 'session':
      return true;
  }
}

function lastTime({ queued_at, ended_at }: TurnState): number {
  return ended_at ?? queued_at ?? 0;
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

/** Lines that a file gained and lost: of a notebook those of its cells, once they are known. */
export function countsOf({ file }: Entry, diff: Diff | undefined) {
  const { added, removed } = (diff && compareCells(diff)) ?? file;
  return { added, removed };
}

function partsOf({ file }: Entry, diff: Diff | undefined): ChangedFile['reverted_hunks'] {
  return diff === undefined || !hasParts(file) ? [] : changesIn(diff);
}
