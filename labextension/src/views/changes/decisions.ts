import { isRecord, texts } from '../../wire/read';
import type { ChangedFile } from '../../wire/types';
import type { RevertChoice } from '../actions';
import { hunkKey, isAmong } from '../diff/hunks';
import type { DiffHunk } from '../diff/hunks';
import { useScene, useSubscription } from '../scene';

/** What the user has said of a change. */
export type Decision = 'open' | 'kept' | 'reverted';

/** How a file, or a change in it, stands, and how to decide on it. */
export interface Decided {
  readonly decision: Decision;
  readonly keep: (kept: boolean) => void;
  readonly revert: ((undo: boolean) => Promise<void>) | undefined;
  /** Whether Undo stands here; not at a change of a file that was decided on as a whole. */
  readonly canUndo: boolean;
}

interface Target {
  readonly turnId: string;
  /** Turns before it whose changes of the file go with its own. */
  readonly earlier?: readonly string[];
  /** What it is remembered by that it is kept, if not by the turn. */
  readonly marked?: string;
  readonly file: ChangedFile;
  /** Whether the turn's changes can be taken back. */
  readonly revertible: boolean;
}

/** Of a whole file, or with a hunk of that change. */
export function useDecisions(target: Target): (hunk?: DiffHunk) => Decided {
  const { turnId, earlier, file, revertible, marked = turnId } = target;
  const { actions } = useScene();
  const { isKept, setKept } = useKept();
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

export function decisionOf(file: ChangedFile, kept: boolean): Decision {
  return file.reverted ? 'reverted' : kept ? 'kept' : 'open';
}

/** Whether single changes of a file can be decided on; else it goes as a whole. */
export function hasParts(file: ChangedFile): boolean {
  return file.change === 'modified' && !file.binary;
}

const KEPT_KEY = 'acp-jupyter:kept-changes';

/** Of how many turns it is remembered. */
const MAX_TURNS = 100;

/** Stands for all of a file. */
export const WHOLE = '';

const BETWEEN = '+';

/** Names turns whose changes of a file are one. */
export function joinedIds(turnIds: readonly string[]): string {
  return turnIds.join(BETWEEN);
}

type Files = Readonly<Record<string, readonly string[]>>;

const keptListeners = new Set<() => void>();

let keptMarks: Map<string, Files> | null = null;

/** What the user has looked at and keeps, in this browser; nothing is changed by it. */
export function useKept(): { isKept: typeof isKept; setKept: typeof setKept } {
  useSubscription(onKept);
  return { isKept, setKept };
}

/** Tells when something is marked, here or in another tab; returns the way to stop. */
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

/** Whether a change of a file, or all of it, is marked. */
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

/** Another tab has marked something. */
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

/** Whether anything of a file is marked. */
export function isTouched(turnId: string, path: string): boolean {
  return marksOf(turnId, path).length > 0;
}

/** A file is kept as a whole where that is said of it in each of several turns. */
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
