import { PageConfig } from '@jupyterlab/coreutils';
import type { DocumentRegistry } from '@jupyterlab/docregistry';

import type { Client, Following } from '../../../delivery/client';
import { Listeners } from '../../../delivery/listeners';
import type { SessionStore } from '../../../state/store';
import { isTurns } from '../../../state/changed_files';
import type { ChangedFile, SessionSummary, TurnState } from '../../../wire/types';
import { serverPath } from '../../page/paths';

/** Number of turns whose changes are shown: those that changed the notebook last. */
const MAX_TURNS = 10;

/** A finished turn that changed the notebook, as the server compared it. */
export interface ChangingTurn {
  readonly turn: TurnState;
  readonly file: ChangedFile;
  readonly store: SessionStore;
  /** Name of the agent, for the user. */
  readonly agent: string;
}

type Context = Pick<
  DocumentRegistry.IContext<DocumentRegistry.IModel>,
  'localPath' | 'pathChanged'
>;

/** The turns that changed a notebook, of any session. */
export class NotebookTurns {
  readonly changed = new Listeners<undefined>();
  readonly #client: Client;
  readonly #context: Context;
  readonly #held = new Map<string, Following>();
  readonly #stops: (() => void)[];
  /** Ids of sessions with a running turn. */
  #working: ReadonlySet<string> = new Set();
  #disposed = false;

  constructor(client: Client, context: Context) {
    this.#client = client;
    this.#context = context;
    this.#stops = [
      client.sessionsChanged.add(() => this.#follow()),
      client.turnsChanged.add(sessionId => this.#check(sessionId)),
    ];
    context.pathChanged.connect(this.#moved, this);
    this.#follow();
    client.followedIds.forEach(sessionId => this.#check(sessionId));
    void this.#ask();
  }

  /** The last turns, in the order of their ends. */
  all(): ChangingTurn[] {
    return [...this.#held.values()]
      .flatMap(({ store }) => this.#changingOf(store))
      .sort((one, other) => endOf(one) - endOf(other))
      .slice(-MAX_TURNS);
  }

  dispose(): void {
    this.#stops.forEach(stop => stop());
    this.#disposed = true;
    this.#context.pathChanged.disconnect(this.#moved, this);
    this.#held.forEach(following => following.dispose());
    this.#held.clear();
  }

  #moved(): void {
    this.#follow();
    void this.#ask();
  }

  /** Asks the server which sessions changed the notebook, since it may be any session. */
  async #ask(): Promise<void> {
    // Without an answer, only the sessions that this page follows are known.
    const path = this.#context.localPath;
    const { session_ids: ids } = await this.#client
      .run({ name: 'list_changing_sessions', path })
      .catch(() => ({ session_ids: [] }));
    for (const id of this.#disposed ? [] : ids) {
      if (!this.#held.has(id)) {
        this.#held.set(id, this.#client.follow(id));
      }
    }
    this.changed.emit(undefined);
  }

  /** Follows the notebook's own sessions, and drops those that no longer exist. */
  #follow(): void {
    const sessions = this.#client.sessions ?? [];
    const known = new Set(sessions.map(({ session_id: id }) => id));
    const working = new Set(sessions.filter(isWorking).map(({ session_id: id }) => id));
    if ([...this.#working].some(id => !working.has(id) && !this.#held.has(id))) {
      void this.#ask();
    }
    this.#working = working;
    for (const { session_id: id, notebook_path: path } of sessions) {
      if (path === this.#context.localPath && !this.#held.has(id)) {
        this.#held.set(id, this.#client.follow(id));
      }
    }
    for (const [id, following] of this.#held) {
      if (!known.has(id)) {
        this.#held.delete(id);
        following.dispose();
      }
    }
    this.changed.emit(undefined);
  }

  /** Follows a session that has changed the notebook. */
  #check(sessionId: string): void {
    if (!this.#held.has(sessionId)) {
      const following = this.#client.follow(sessionId);
      if (this.#changingOf(following.store).length === 0) {
        following.dispose();
        return;
      }
      this.#held.set(sessionId, following);
    }
    this.changed.emit(undefined);
  }

  #changingOf(store: SessionStore): ChangingTurn[] {
    const { session, turns } = store.view;
    if (session === null) {
      return [];
    }
    const root = PageConfig.getOption('serverRoot');
    const isThis = ({ path }: ChangedFile) =>
      path.endsWith('.ipynb') && serverPath(root, session, path) === this.#context.localPath;
    const agent = session.agent_info.name || session.agent;
    return [...turns.values()].flatMap(turn => {
      const file =
        turn.status === 'done' ? turn.changes?.files.filter(isTurns).find(isThis) : undefined;
      return file === undefined || file.change === 'deleted' || file.change === 'type'
        ? []
        : [{ turn, file, store, agent }];
    });
  }
}

function isWorking({ status }: SessionSummary): boolean {
  return status === 'running' || status === 'requires_action';
}

function endOf({ turn: { ended_at, queued_at } }: ChangingTurn): number {
  return ended_at ?? queued_at ?? 0;
}
