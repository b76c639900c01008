import type { SessionStore } from '../../state/store';
import { isRecord, texts } from '../../wire/read';
import type { ChangedFile, Hunk } from '../../wire/types';
import type { RevertChoice } from '../actions';
import { hunkKey, isAmong } from '../diff/hunks';
import type { DiffHunk } from '../diff/hunks';
import { useScene, useSubscription } from '../scene';

/** The user's decision on a change; `left` is one in a copy that stays out of the folder. */
export type Decision = 'open' | 'kept' | 'reverted' | 'left';

/** The decision on a file or a change in it, and functions that change it. */
export interface Decided {
  readonly decision: Decision;
  readonly keep: (kept: boolean) => void;
  readonly revert: ((undo: boolean) => Promise<void>) | undefined;
  /** Whether it can be undone here; false for a change in a file that was decided on as a whole. */
  readonly canUndo: boolean;
  /** For a turn in a copy: keeps it in the folder, or undoes that; `null` if that is impossible. */
  readonly put?: ((keep: boolean) => Promise<void>) | null;
  /** For a file in a copy: whether only a part of it is kept. */
  readonly partly?: boolean;
}

interface Target {
  readonly turnId: string;
  /** Ids of earlier turns whose changes of the file are joined with its own. */
  readonly earlier?: readonly string[];
  /** Id by which it is remembered as kept, if not the turn's. */
  readonly marked?: string;
  readonly file: ChangedFile;
  /** Whether the turn's changes can be reverted. */
  readonly revertible: boolean;
}

/** Returns a function for the decision on the whole file, or on a hunk of it. */
export function useDecisions(target: Target): (hunk?: DiffHunk) => Decided {
  const { turnId, earlier, file, revertible, marked = turnId } = target;
  const { actions, store } = useScene();
  const { isKept, setKept } = useKept();
  const inCopy = isInCopy(store, turnId);
  const revertTurn = revertible && file.kept ? actions?.revertTurn : undefined;
  const decided = (decision: Decision, change: string, choice: RevertChoice): Decided => ({
    decision,
    keep: kept => setKept(marked, file.path, change, kept),
    revert:
      revertTurn &&
      (undo =>
        revertTurn(turnId, { ...choice, ...(undo && { undo }), ...(earlier && { earlier }) })),
    canUndo: decision === 'kept' || (decision === 'reverted' && revertTurn !== undefined),
  });
  return hunk => {
    if (inCopy) {
      const change = hunk === undefined ? WHOLE : hunkKey(hunk.range);
      const what =
        hunk === undefined
          ? { paths: [file.path] }
          : { hunks: { path: file.path, hunks: [hunk.range] } };
      const put = revertTurn && ((keep: boolean) => revertTurn(turnId, { ...what, undo: keep }));
      const left = isKept(marked, file.path, change);
      const now = isInFolder(file, hunk?.range) ? 'kept' : left ? 'left' : 'open';
      return {
        ...decided(now, change, {}),
        put: put ?? null,
        partly: hunk === undefined && now !== 'kept' && isPartlyKept(file),
      };
    }
    if (hunk === undefined) {
      return decided(decisionOf(file, isKept(marked, file.path, WHOLE)), WHOLE, {
        paths: [file.path],
      });
    }
    const whole = decisionOf(file, isKept(marked, file.path, WHOLE));
    const change = hunkKey(hunk.range);
    const reverted = isAmong(hunk.range, file.reverted_hunks);
    const kept = isKept(marked, file.path, change);
    const own = decided(reverted ? 'reverted' : kept ? 'kept' : 'open', change, {
      hunks: { path: file.path, hunks: [hunk.range] },
    });
    return whole === 'reverted' || (whole === 'kept' && own.decision !== 'reverted')
      ? { ...own, decision: whole, canUndo: false }
      : own;
  };
}

/** Whether a file in a copy, or a change in it, is in the folder, too. */
export function isInFolder(file: ChangedFile, range?: Hunk): boolean {
  if (range !== undefined) {
    return file.reverted
      ? isAmong(range, file.kept_hunks)
      : file.kept && !isAmong(range, file.reverted_hunks);
  }
  // A file without a checkpoint is only in the copy.
  return file.kept && !file.reverted && file.reverted_hunks.length === 0;
}

/** The lines of a file's change that are left: without those that were reverted one by one. */
export function linesLeft(
  file: ChangedFile,
  inCopy: boolean,
): Pick<ChangedFile, 'added' | 'removed'> {
  const { added, removed, reverted, reverted_hunks: hunks, together } = file;
  // A notebook's changes are cells, and these of joined turns are not this turn's lines.
  const isKnown = !inCopy && !reverted && together.length === 0 && !file.path.endsWith('.ipynb');
  if (!isKnown || added === null || removed === null) {
    return { added, removed };
  }
  const sum = (side: 'old' | 'new') =>
    hunks.reduce((lines, hunk) => lines + hunk[`${side}_end`] - hunk[`${side}_start`], 0);
  return { added: Math.max(0, added - sum('new')), removed: Math.max(0, removed - sum('old')) };
}

/** Whether some changes of a file in a copy are in the folder, and others are not. */
export function isPartlyKept(file: ChangedFile): boolean {
  return file.reverted ? file.kept_hunks.length > 0 : file.reverted_hunks.length > 0;
}

/** Whether a turn worked in a copy of the folder: its changes reach the folder only by Keep. */
export function isInCopy({ view }: SessionStore, turnId: string): boolean {
  const turn = view.turns.get(turnId);
  return turn !== undefined && (turn.variant > 0 || turn.in_copy);
}

export function decisionOf(file: ChangedFile, kept: boolean): Decision {
  return file.reverted ? 'reverted' : kept ? 'kept' : 'open';
}

/** Whether single changes of a file can be decided on; else only the whole file. */
export function hasParts(file: ChangedFile): boolean {
  return file.change === 'modified' && !file.binary;
}

const KEPT_KEY = 'acp-jupyter:kept-changes';

/** Most turns whose kept changes are remembered. */
const MAX_TURNS = 100;

/** Stands for the whole file in place of a change's key. */
export const WHOLE = '';

const BETWEEN = '+';

/** A joint id for turns whose changes of a file are joined. */
export function joinedIds(turnIds: readonly string[]): string {
  return turnIds.join(BETWEEN);
}

type Files = Readonly<Record<string, readonly string[]>>;

const keptListeners = new Set<() => void>();

let keptMarks: Map<string, Files> | null = null;

/**
 * The changes that the user has marked as kept, or in a copy as left, in this browser; no file is
 * changed by it.
 */
export function useKept(): { isKept: typeof isKept; setKept: typeof setKept } {
  useSubscription(onKept);
  return { isKept, setKept };
}

/** Calls back when a mark changes, here or in another tab; returns a function that stops it. */
export function onKept(listener: () => void): () => void {
  if (keptListeners.size === 0) {
    window.addEventListener('storage', onStorage);
  }
  keptListeners.add(listener);
  return () => {
    keptListeners.delete(listener);
    if (keptListeners.size === 0) {
      window.removeEventListener('storage', onStorage);
    }
  };
}

/** Whether a change of a file, or the whole file, is marked as kept. */
export function isKept(turnId: string, path: string, change: string): boolean {
  const marked = marksOf(turnId, path);
  return marked.includes(WHOLE) || marked.includes(change);
}

export function setKept(turnId: string, path: string, change: string, kept: boolean): void {
  const turns = allMarks();
  for (const id of change === WHOLE ? turnId.split(BETWEEN) : [turnId]) {
    const files = filesOf(id);
    const others = (files[path] ?? []).filter(each => each !== change && change !== WHOLE);
    turns.delete(id); // the newest is the last
    turns.set(id, { ...files, [path]: kept ? [...others, change] : others });
  }
  for (const old of [...turns.keys()].slice(0, -MAX_TURNS)) {
    turns.delete(old);
  }
  try {
    localStorage.setItem(KEPT_KEY, JSON.stringify([...turns]));
  } catch {
    // Remembered in this page only.
  }
  notifyKept();
}

/** Reads the marks again when another tab has changed them. */
function onStorage(event: StorageEvent): void {
  if (event.key === KEPT_KEY) {
    keptMarks = null;
    notifyKept();
  }
}

function notifyKept(): void {
  for (const listener of [...keptListeners]) {
    listener();
  }
}

/** Whether anything of a file is marked as kept. */
export function isTouched(turnId: string, path: string): boolean {
  return marksOf(turnId, path).length > 0;
}

/** The marks of a file; joined turns keep it as a whole if each of them does. */
function marksOf(turnId: string, path: string): readonly string[] {
  const own = filesOf(turnId)[path] ?? [];
  const ids = turnId.split(BETWEEN);
  const whole = ids.length > 1 && ids.every(id => filesOf(id)[path]?.includes(WHOLE));
  return whole ? [WHOLE, ...own] : own;
}

function filesOf(turnId: string): Files {
  return allMarks().get(turnId) ?? {};
}

function allMarks(): Map<string, Files> {
  keptMarks ??= readMarks();
  return keptMarks;
}

/** Another version may have written it. */
function readMarks(): Map<string, Files> {
  const found = new Map<string, Files>();
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEPT_KEY) ?? '[]');
    for (const entry of Array.isArray(value) ? value : []) {
      const pair: unknown = entry;
      if (Array.isArray(pair) && typeof pair[0] === 'string' && isRecord(pair[1])) {
        const files = pair[1];
        const read = Object.keys(files).map(path => [path, texts(files, path)] as const);
        found.set(pair[0], Object.fromEntries(read));
      }
    }
  } catch {
    return new Map();
  }
  return found;
}
