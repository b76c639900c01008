import type { Scope } from '../../views/review';
import { isRecord, text, texts } from '../../wire/read';
import type { Run } from './run';

type Turns = Pick<Run, 'name' | 'sessionIds' | 'turns'>;

/**
 * The subject of a review: sessions, the one it was opened for first, and the scopes to choose
 * from.
 */
export interface Subject {
  readonly id: string;
  readonly sessionIds: readonly [string, ...string[]];
  readonly scopes: readonly [Scope, ...Scope[]];
}

/** A turn, with the run that it belongs to, and its session. */
export function ofTurn(sessionId: string, turnId: string, run: Turns | null): Subject {
  const scopes: [Scope, ...Scope[]] = [{ kind: 'turn', turnId }];
  if (run !== null && run.turns.size > 1) {
    scopes.push(scopeOf(run));
  }
  const others = run?.sessionIds.filter(id => id !== sessionId) ?? [];
  return {
    id: `acp-review-${turnId}`,
    sessionIds: [sessionId, ...others],
    scopes: [...scopes, { kind: 'session' }],
  };
}

export function ofSession(sessionId: string): Subject {
  return {
    id: `acp-review-${sessionId}`,
    sessionIds: [sessionId],
    scopes: [{ kind: 'session' }],
  };
}

/** `null` for a run without turns. */
export function ofRun(run: Turns): Subject | null {
  const [first, ...others] = run.sessionIds;
  const [turnId] = run.turns.keys();
  return first === undefined || turnId === undefined
    ? null
    : {
        id: `acp-review-run-${turnId}`,
        sessionIds: [first, ...others],
        scopes: [scopeOf(run)],
      };
}

function scopeOf(run: Turns): Scope {
  return { kind: 'run', name: run.name, turnIds: [...run.turns.keys()] };
}

/** Reads a subject as it was saved with the page's layout; `null` for anything else. */
export function readSubject(value: unknown): Subject | null {
  if (!isRecord(value)) {
    return null;
  }
  const [session, ...sessions] = texts(value, 'sessionIds');
  const found = Array.isArray(value['scopes']) ? value['scopes'] : [];
  const [scope, ...scopes] = found.flatMap((each: unknown) => readScope(each) ?? []);
  const id = text(value, 'id');
  return session === undefined || scope === undefined || id === ''
    ? null
    : { id, sessionIds: [session, ...sessions], scopes: [scope, ...scopes] };
}

function readScope(value: unknown): Scope | null {
  if (!isRecord(value)) {
    return null;
  }
  switch (value['kind']) {
    case 'turn':
      return { kind: 'turn', turnId: text(value, 'turnId') };
    case 'run':
      return { kind: 'run', name: text(value, 'name'), turnIds: texts(value, 'turnIds') };
    case 'session':
      return { kind: 'session' };
    default:
      return null;
  }
}
