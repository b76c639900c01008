import type { SessionSummary } from '../../wire/types';

/** The sessions of an inbox, each in one group. */
export interface Groups {
  /** Those that wait for an answer, the longest first. */
  readonly waiting: readonly SessionSummary[];
  readonly running: readonly SessionSummary[];
  /** Those whose turn has ended, the newest first. */
  readonly ended: readonly SessionSummary[];
}

export function groupsOf(sessions: readonly SessionSummary[]): Groups {
  const newestFirst = [...sessions].sort(
    (one, other) => (other.updated_at ?? 0) - (one.updated_at ?? 0),
  );
  const waiting = newestFirst.filter(isWaiting).reverse();
  const rest = newestFirst.filter(session => !isWaiting(session));
  return {
    waiting,
    running: rest.filter(isRunning),
    ended: rest.filter(session => !isRunning(session) && !session.archived && hasWorked(session)),
  };
}

/** Whether its user can do something about a question of it. */
function isWaiting(session: SessionSummary): boolean {
  return session.waiting > 0 && session.read_only === '';
}

export function isRunning(session: SessionSummary): boolean {
  const { status, background } = session;
  return status === 'running' || status === 'starting' || status === 'requires_action'
    ? !session.stored
    : background > 0;
}

/** A session without a title that is open has had no prompt. */
function hasWorked({ title, stored }: SessionSummary): boolean {
  return title !== '' || stored;
}
