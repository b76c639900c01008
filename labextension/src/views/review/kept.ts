import { isRecord, texts } from '../../wire/read';
import { useSubscription } from '../parts/hooks';

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
