import type { Translate } from '../../views';
import type { SessionSummary } from '../../wire/types';

/** Shorter turns cause no notification. */
const LONG_TURN_MS = 30_000;

/** A notification for a user who looks elsewhere. */
export interface News {
  readonly sessionId: string;
  readonly title: string;
  readonly body: string;
}

/** Finds the events between one list of sessions and the next. */
export class SessionWatch {
  readonly #waiting = new Map<string, number>();
  readonly #since = new Map<string, number>();

  constructor(private readonly t: Translate) {}

  /** `now` in milliseconds. */
  update(sessions: readonly SessionSummary[], now: number): News[] {
    return sessions.flatMap(session => this.#update(session, now));
  }

  #update({ session_id: sessionId, ...session }: SessionSummary, now: number): News[] {
    const { t } = this;
    const waited = this.#waiting.get(sessionId) ?? 0;
    this.#waiting.set(sessionId, session.waiting);
    const since = this.#since.get(sessionId);
    const busy = session.status === 'running' || session.status === 'requires_action';
    if (busy) {
      this.#since.set(sessionId, since ?? now);
    } else {
      this.#since.delete(sessionId);
    }
    const body = session.title;
    if (session.waiting > waited) {
      return [{ sessionId, title: t('%1 waits for your answer', session.agent_name), body }];
    }
    return !busy && since !== undefined && now - since >= LONG_TURN_MS
      ? [{ sessionId, title: t('%1 is done', session.agent_name), body }]
      : [];
  }
}

/** The status bar's text: the number of sessions that wait, else those that run; empty for none. */
export interface StatusWords {
  readonly text: string;
  readonly waiting: boolean;
}

export function statusWords(sessions: readonly SessionSummary[], t: Translate): StatusWords {
  const waiting = sessions.reduce((sum, session) => sum + session.waiting, 0);
  if (waiting > 0) {
    return { text: t('%1 waiting', waiting), waiting: true };
  }
  const running = sessions.filter(({ status }) => status === 'running');
  const [first] = running;
  if (first === undefined) {
    return { text: '', waiting: false };
  }
  const text =
    running.length === 1
      ? t('%1 is running', first.agent_name)
      : t('%1 agents are running', running.length);
  return { text, waiting: false };
}
