import type { Client, Following } from '../../delivery/client';
import { Listeners } from '../../delivery/listeners';
import type { SessionSummary, TurnState } from '../../wire/types';
import { ownFolder } from './paths';

/** The sessions of one notebook, all followed so that the page learns of their turns. */
export class NotebookSessions {
  /** Ids of newly followed sessions; their turns may be over already. */
  readonly added = new Listeners<string>();

  readonly #client: Client;
  readonly #following = new Map<string, Following>();
  readonly #stop: () => void;
  #path: string;

  constructor(client: Client, path: string) {
    this.#client = client;
    this.#path = path;
    this.#stop = client.sessionsChanged.add(() => this.#follow());
    this.#follow();
  }

  has(sessionId: string): boolean {
    return this.#following.has(sessionId);
  }

  /** The turns of all of them. */
  turns(): TurnState[] {
    return [...this.#following.values()].flatMap(({ store }) => [...store.view.turns.values()]);
  }

  /** The folder of a session, as an absolute path. */
  folder(sessionId: string): string {
    const session = this.#following.get(sessionId)?.store.view.session ?? null;
    return session === null ? '' : ownFolder(session);
  }

  /** The turns that are not done, in all of them. */
  openTurns(): TurnState[] {
    return this.turns().filter(turn => turn.status !== 'done');
  }

  /** The notebook was renamed. */
  move(path: string): void {
    this.#path = path;
    this.#follow();
  }

  dispose(): void {
    this.#stop();
    for (const following of this.#following.values()) {
      following.dispose();
    }
    this.#following.clear();
  }

  #follow(): void {
    const sessions = this.#client.sessions ?? [];
    const ids = new Set(
      sessions
        .filter(session => session.notebook_path === this.#path)
        .map(session => session.session_id),
    );
    for (const sessionId of ids) {
      if (!this.#following.has(sessionId)) {
        this.#following.set(sessionId, this.#client.follow(sessionId));
        this.added.emit(sessionId);
      }
    }
    for (const [sessionId, following] of this.#following) {
      if (!ids.has(sessionId)) {
        this.#following.delete(sessionId);
        following.dispose();
      }
    }
  }
}

/** The session that a prompt goes to, from the prompt's first line. */
export function sessionOf(
  source: string,
  notebookPath: string,
  sessions: readonly SessionSummary[],
): SessionSummary | null {
  const line = /^\s*%%acp\b(.*)/m.exec(source)?.[1] ?? '';
  const words = (line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []).map(word =>
    word.replaceAll(/["']/g, ''),
  );
  const own = sessions.filter(session => session.notebook_path === notebookPath);
  const isNamed = ({ agent_id: id, agent_name: name }: SessionSummary) =>
    words.some(word => word === id || word.toLowerCase() === name.toLowerCase());
  const named = own.some(isNamed) ? own.filter(isNamed) : /^(?!-)/.test(words[0] ?? '-') ? [] : own;
  const label = /--session[= ]+("[^"]*"|'[^']*'|\S+)/.exec(line)?.[1]?.replaceAll(/["']/g, '');
  const newest = [...named].sort((a, b) => (b.updated_at ?? 0) - (a.updated_at ?? 0));
  return (
    (label === undefined
      ? (newest.find(session => session.serves_cells) ?? newest[0])
      : newest.find(session => session.title === label)) ?? null
  );
}
