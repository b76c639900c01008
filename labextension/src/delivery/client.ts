import { SessionStore } from '../state/store';
import { parseAnswer } from '../wire/results';
import type { PageCommand, Run } from '../wire/results';
import { API_VERSION } from '../wire/types';
import type {
  AnswerFrame,
  AskFrame,
  CreateSession,
  DocumentState,
  ErrorBody,
  ImportProgress,
  SessionState,
  SessionSummary,
} from '../wire/types';
import { Limiter } from './calls';
import { Listeners } from './listeners';
import { Socket } from './socket';
import type { Connection, Transport } from './transport';

/** Longest wait for an answer, in seconds. */
const SECONDS = 30;

/** An agent may be slow to start; the host has its own, shorter limit. */
const AGENT_SECONDS = 180;

/** Git may have to look at many files. */
const CHANGES_SECONDS = 60;

/** Longest waits for answers that take longer than others. */
const LONGER: { readonly [Name in PageCommand['name']]?: number } = {
  archive_session: AGENT_SECONDS,
  cancel_tool_call: AGENT_SECONDS,
  create_session: AGENT_SECONDS,
  delete_session: AGENT_SECONDS,
  fork_session: AGENT_SECONDS,
  get_changes: CHANGES_SECONDS,
  get_history: CHANGES_SECONDS,
  list_agent_sessions: AGENT_SECONDS,
  list_changing_sessions: CHANGES_SECONDS,
  login: AGENT_SECONDS,
  logout: AGENT_SECONDS,
  open_agent_session: AGENT_SECONDS,
  resume_session: AGENT_SECONDS,
  revert_turn: CHANGES_SECONDS,
  rewind_session: AGENT_SECONDS,
  run_outside: AGENT_SECONDS,
  run_prompt_cell: AGENT_SECONDS,
  unarchive_session: AGENT_SECONDS,
  undo_rewind: AGENT_SECONDS,
  // The server's own limit for the download is shorter.
  update_registry: 40,
};

/** A followed session; it is dropped when its last follower disposes this. */
export interface Following {
  readonly store: SessionStore;
  dispose(): void;
}

/** A session that the host does not know, or does not show to this user. */
export interface Refused {
  readonly sessionId: string;
  readonly error: ErrorBody;
}

/** The page's client of its host: sessions, their stores, and commands. One per page. */
export class Client {
  readonly apiVersion = API_VERSION;
  readonly connectionChanged = new Listeners<Connection>();
  readonly sessionsChanged = new Listeners<readonly SessionSummary[]>();
  readonly importsChanged = new Listeners<readonly ImportProgress[]>();
  /** Ids of followed sessions in which a turn began or ended, or which came with a snapshot. */
  readonly turnsChanged = new Listeners<string>();
  /** Ids of followed sessions whose store was filled from a snapshot. */
  readonly snapshotTaken = new Listeners<string>();
  readonly refused = new Listeners<Refused>();
  /** The host's requests about open documents. */
  readonly asked = new Listeners<AskFrame>();

  /** The key that sends a message, from the user's settings; the page's widgets read it. */
  sendKey: 'enter' | 'shift-enter' = 'enter';

  readonly #socket: Socket;
  readonly #followed = new Map<string, { store: SessionStore; count: number }>();
  /** A notebook may have more turns than the host accepts commands at once. */
  readonly #attaching = new Limiter(16);
  #sessions: readonly SessionSummary[] | null = null;
  #imports: readonly ImportProgress[] = [];

  constructor(transport: Transport) {
    this.#socket = new Socket(transport, {
      connection: connection => this.connectionChanged.emit(connection),
      sessions: sessions => {
        this.#sessions = sessions;
        this.sessionsChanged.emit(sessions);
      },
      imports: imports => {
        this.#imports = imports;
        this.importsChanged.emit(imports);
      },
      applied: (sessionId, events) => {
        const kinds = new Set(events.map(event => event.kind));
        if (kinds.has('snapshot')) {
          this.snapshotTaken.emit(sessionId);
        }
        if (kinds.has('snapshot') || kinds.has('turn_started') || kinds.has('turn_ended')) {
          this.turnsChanged.emit(sessionId);
        }
      },
      refused: (sessionId, error) => this.refused.emit({ sessionId, error }),
      ask: frame => this.asked.emit(frame),
    });
    this.#socket.start();
  }

  get connection(): Connection {
    return this.#socket.connection;
  }

  /** `null` while not known yet. */
  get sessions(): readonly SessionSummary[] | null {
    return this.#sessions;
  }

  /** The imports of logs that are running. */
  get imports(): readonly ImportProgress[] {
    return this.#imports;
  }

  /** Ids of the sessions that are followed now. */
  get followedIds(): readonly string[] {
    return [...this.#followed.keys()];
  }

  follow(sessionId: string): Following {
    let entry = this.#followed.get(sessionId);
    if (entry === undefined) {
      entry = { store: new SessionStore(sessionId), count: 0 };
      this.#followed.set(sessionId, entry);
      this.#socket.follow(entry.store);
    }
    const held = entry;
    held.count += 1;
    let disposed = false;
    return {
      store: held.store,
      dispose: () => {
        if (!disposed) {
          disposed = true;
          held.count -= 1;
          if (held.count === 0) {
            this.#followed.delete(sessionId);
            this.#socket.unfollow(sessionId);
          }
        }
      },
    };
  }

  /** Asks for a fresh snapshot of each followed session. */
  resync(): void {
    this.#socket.resync();
  }

  hold(documents: readonly DocumentState[]): void {
    this.#socket.hold(documents);
  }

  answer(frame: AnswerFrame): void {
    this.#socket.answer(frame);
  }

  reconnect(): void {
    this.#socket.retryNow();
  }

  /** Connects again, for example after the device slept: its connection may be dead by then. */
  renew(): void {
    this.#socket.renew();
  }

  dispose(): void {
    this.#socket.dispose();
  }

  /** Sends a command; resolves to what the server answers. */
  readonly run: Run = async <Sent extends PageCommand>(command: Sent) => {
    const name: Sent['name'] = command.name;
    const ask = () => this.#socket.command(command, LONGER[name] ?? SECONDS);
    const answer = await (name === 'attach_turn' ? this.#attaching.run(ask) : ask());
    return parseAnswer(name, answer);
  };

  /** Makes a session; the user is asked whether its folder is trusted. */
  createSession(choice: Omit<CreateSession, 'name'>): Promise<SessionState> {
    return this.run({ ask_trust: true, ...choice, name: 'create_session' });
  }

  /**
   * Fetches items into the store, by index or counted from a turn's first; resolves to their
   * number.
   */
  async loadItems(sessionId: string, start: number, end: number, turnId = ''): Promise<number> {
    const page = await this.run({
      ...{ name: 'get_items', session_id: sessionId, start, end, turn_id: turnId },
    });
    this.#followed.get(sessionId)?.store.insert(page);
    return page.items.length;
  }
}
