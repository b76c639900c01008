import type { SessionStore } from '../../state/store';
import type { ChangedFile, Diff, TurnChanges, TurnState } from '../../wire/types';
import type { Actions } from '../actions';
import { isTurns } from '../../state/changed_files';
import { decisionOf, hasParts, isInFolder, joinedIds, WHOLE } from '../changes/decisions';
import type { Decision } from '../changes/decisions';
import { compareCells } from '../diff/compare_cells';
import { compare } from '../diff/compare_lines';
import { changesIn, hunkKey, isAmong } from '../diff/hunks';

/** A session with turns to review, and its actions. */
export interface Source {
  readonly store: SessionStore;
  readonly actions: Actions;
}

/** Which turns' changes are shown. A run may have turns of several sessions. */
export type Scope =
  | { readonly kind: 'turn'; readonly turnId: string }
  | { readonly kind: 'run'; readonly name: string; readonly turnIds: readonly string[] }
  | { readonly kind: 'session' };

/** A file that a turn changed, or that consecutive turns changed one after the other. */
export interface Entry {
  readonly key: string;
  /** The turns whose changes of the file are joined, the oldest first. */
  readonly turns: readonly TurnState[];
  /** Id of these turns under which kept changes are remembered. */
  readonly marked: string;
  readonly file: ChangedFile;
  readonly revertible: boolean;
  /** The last of its turns. */
  readonly turn: TurnState;
  readonly source: Source;
}

/** The files of one turn, including joined ones. */
export interface TurnEntries {
  readonly turn: TurnState;
  readonly source: Source;
  readonly changes: TurnChanges;
  readonly entries: readonly Entry[];
}

type IsKept = (turnId: string, path: string, change: string) => boolean;

/** The changed files of a scope's turns, in the order of the turns' ends. */
export function turnEntries(sources: readonly Source[], scope: Scope): TurnEntries[] {
  const all = sources.flatMap(source =>
    [...source.store.view.turns.values()].flatMap(turn =>
      turn.changes === null ? [] : { turn, source, changes: turn.changes },
    ),
  );
  all.sort((one, other) => lastTime(one.turn) - lastTime(other.turn));
  const found = all.filter(
    ({ turn, source }) => isIn(turn, scope) && (scope.kind !== 'session' || source === sources[0]),
  );
  // A file that was reverted together with earlier turns needs these to be shown.
  const needed = new Set(
    found.flatMap(({ changes }) =>
      changes.files.flatMap(file => file.together.map(id => `${id} ${file.path}`)),
    ),
  );
  const single = all.flatMap(each =>
    singleEntries(each).filter(({ key }) => found.includes(each) || needed.has(key)),
  );
  const entries = joinEntries(single);
  return found
    .map(each => ({ ...each, entries: entries.filter(({ turn }) => turn === each.turn) }))
    .filter(each => each.entries.length > 0 || each.changes.left_out > 0);
}

function singleEntries({ turn, source, changes }: Omit<TurnEntries, 'entries'>): Entry[] {
  const { files, revertible } = changes;
  const marked = turn.turn_id;
  return files.filter(isTurns).map(file => {
    const key = `${marked} ${file.path}`;
    return { key, turns: [turn], marked, file, revertible, turn, source };
  });
}

/** Ids of its turns before the last. */
export function earlierOf({ turns }: Entry): string[] {
  return turns.slice(0, -1).map(turn => turn.turn_id);
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

/** The decision on a file, made as a whole or on each of its changes. */
export function standing(entry: Entry, diff: Diff | undefined, isKept: IsKept): Decision {
  const { marked, file, turn } = entry;
  const isMarked = isKept(marked, file.path, WHOLE);
  const whole = turn.in_copy ? inCopyOf(file, isMarked) : decisionOf(file, isMarked);
  const parts = whole === 'open' ? partsOf(entry, diff) : [];
  if (parts.length === 0 || openParts(entry, diff, isKept).length > 0) {
    return whole;
  }
  if (turn.in_copy) {
    return parts.some(range => isInFolder(file, range)) ? 'kept' : 'left';
  }
  const kept = parts.some(range => isKept(marked, file.path, hunkKey(range)));
  return kept ? 'kept' : 'reverted';
}

function inCopyOf(file: ChangedFile, isLeft: boolean): Decision {
  return isInFolder(file) ? 'kept' : isLeft ? 'left' : 'open';
}

/** The known changes of a file without a decision. */
export function openParts(
  entry: Entry,
  diff: Diff | undefined,
  isKept: IsKept,
): ChangedFile['reverted_hunks'] {
  const { marked, file, turn } = entry;
  return partsOf(entry, diff).filter(range => {
    const isDone = turn.in_copy ? isInFolder(file, range) : isAmong(range, file.reverted_hunks);
    return !isDone && !isKept(marked, file.path, hunkKey(range));
  });
}

/** Added and removed lines of a file, once known: of a notebook's cells, or of a joined change. */
export function countsOf({ file, turns }: Entry, diff: Diff | undefined) {
  const compared = diff && (compareCells(diff) ?? (turns.length > 1 ? compare(diff) : null));
  const { added, removed } = compared ?? file;
  return { added, removed };
}

function partsOf({ file }: Entry, diff: Diff | undefined): ChangedFile['reverted_hunks'] {
  return diff === undefined || !hasParts(file) ? [] : changesIn(diff);
}

/** Entries of one file, in order. */
type Chain = readonly Entry[];

/**
 * Joins the changes that consecutive turns made to a file.
 *
 * Only if each turn found the file as the turn before had left it; otherwise somebody else's
 * changes would look like theirs. `entries` are in order; a joined one replaces its last.
 */
export function joinEntries(entries: readonly Entry[]): Entry[] {
  const byFile = new Map<string, Chain[]>();
  for (const entry of entries) {
    const chains = byFile.get(fileKeyOf(entry)) ?? [];
    const last = chains[chains.length - 1] ?? [];
    const start = startOf(entry, last);
    const parts = [last.slice(0, start), [...last.slice(start), entry]];
    const whole = parts.filter(part => part.length > 0);
    byFile.set(fileKeyOf(entry), [...chains.slice(0, -1), ...whole]);
  }
  const order = new Map(entries.map((entry, index) => [entry, index]));
  const end = (chain: Chain) => Math.max(...chain.map(entry => order.get(entry) ?? 0));
  const chains = [...byFile.values()].flat();
  return chains.sort((one, other) => end(one) - end(other)).flatMap(mergedEntries);
}

/** Index from which a chain continues with an entry; its length if it does not. */
function startOf(entry: Entry, chain: Chain): number {
  const { file } = entry;
  const [first] = chain;
  const last = chain[chain.length - 1];
  if (first === undefined || last === undefined || !isHandedOn(last, entry)) {
    return chain.length;
  }
  if (file.together.length > 0) {
    // It was reverted with them, so its hunks are relative to the text before these turns.
    const start = chain.length - file.together.length;
    const ids = chain.slice(Math.max(0, start)).map(({ marked }) => marked);
    return joinedIds(ids) === joinedIds(file.together) ? start : chain.length;
  }
  const isAlone =
    file.reverted_hunks.length > 0 ||
    (file.reverted && !last.file.reverted) ||
    // If the texts before and after are equal there is no change to show.
    first.file.old_text_id === file.new_text_id;
  return isAlone ? chain.length : 0;
}

function isHandedOn(last: Entry, next: Entry): boolean {
  return (
    // In a copy any change may be kept without those before it.
    !next.turn.in_copy &&
    last.file.new_text_id !== '' &&
    last.file.new_text_id === next.file.old_text_id &&
    last.file.reverted_hunks.length === 0 &&
    [last, next].every(({ revertible, file }) => revertible && file.kept && hasOnePath(file))
  );
}

function mergedEntries(chain: Chain): Entry[] {
  const [first] = chain;
  const last = chain[chain.length - 1];
  if (first === undefined || last === undefined || chain.length === 1) {
    return [...chain];
  }
  const marked = joinedIds(chain.map(each => each.marked));
  const { old_text_id } = first.file;
  const change = changeOf(first.file, last.file);
  // The lines are counted when the diff is fetched.
  const file = { ...last.file, change, old_text_id, added: null, removed: null };
  const turns = chain.flatMap(each => each.turns);
  return [{ ...last, key: `${marked} ${file.path}`, marked, turns, file }];
}

function changeOf(first: ChangedFile, last: ChangedFile): ChangedFile['change'] {
  if (last.change === 'deleted') {
    return 'deleted';
  }
  return first.change === 'added' ? 'added' : 'modified';
}

function hasOnePath({ change }: ChangedFile): boolean {
  return change === 'added' || change === 'modified' || change === 'deleted';
}

function fileKeyOf({ file, source }: Entry): string {
  return `${source.store.view.session?.cwd ?? ''}/${file.path}`;
}
