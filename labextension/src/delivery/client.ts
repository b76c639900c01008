import { SessionStore } from '../state/store';
import { API_VERSION } from '../wire/types';
import { parseResult } from '../wire/results';
import type { SavedOutput, SavedOutputs } from '../wire/results';
import type {
  AgentEntry,
  AnswerElicitation,
  AnswerFrame,
  AskFrame,
  AttachedTurn,
  Command,
  CreateSession,
  DocumentState,
  ErrorBody,
  GetSavedOutputs,
  ImportProgress,
  SessionState,
  SessionSummary,
  SetConfig,
} from '../wire/types';
import { Limiter } from './calls';
import { ChangesCalls } from './changes_calls';
import { PermissionCalls, SessionCalls } from './commands';
import { Listeners } from './listeners';
import { LoginCalls } from './login_calls';
import { Socket } from './socket';
import type { Connection, Transport } from './transport';

/** Longest wait for a reply, in seconds. */
const SECONDS = 30;

/** An agent may be slow to start; the host has its own, shorter limit. */
const START_SECONDS = 180;

/** A followed session; it is dropped when its last follower disposes this. */
export interface Following {
  readonly store: SessionStore;
  dispose(): void;
}

/** The saved outputs that a page knows already. */
export type KnownOutputs = Omit<GetSavedOutputs, 'name' | 'notebook_path' | 'turn_ids'>;

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

  readonly permissions = new PermissionCalls(command => this.#command(command));
  readonly changes = new ChangesCalls((command, seconds) => this.#command(command, seconds));
  readonly life = new SessionCalls((command, seconds) => this.#command(command, seconds));
  readonly logins = new LoginCalls((command, seconds) => this.#command(command, seconds));

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

  dispose(): void {
    this.#socket.dispose();
  }

  // -- commands -------------------------------------------------------------

  async attachTurn(turnId: string, notebookPath: string, cellId: string): Promise<AttachedTurn> {
    const result = await this.#attaching.run(() =>
      this.#command({
        name: 'attach_turn',
        turn_id: turnId,
        notebook_path: notebookPath,
        cell_id: cellId,
      }),
    );
    return parseResult('attach_turn', result);
  }

  /** The saved outputs of some turns of a notebook. */
  async savedOutputs(path: string, turnIds: readonly string[]): Promise<readonly SavedOutput[]> {
    const known = { after: null, epoch: '', ended_after: null, unfinished: [] };
    return (await this.changedOutputs(path, known, turnIds)).outputs;
  }

  /** The changed saved outputs of all cells of a notebook. */
  async changedOutputs(
    path: string,
    known: KnownOutputs,
    turnIds: readonly string[] | null = null,
  ): Promise<SavedOutputs> {
    const result = await this.#command({
      name: 'get_records',
      notebook_path: path,
      turn_ids: turnIds === null ? null : [...turnIds],
      ...known,
    });
    return parseResult('get_records', result);
  }

  /** The agents, with those that the notebook's own kernel serves. */
  async agents(notebookPath = ''): Promise<AgentEntry[]> {
    const command = { name: 'list_agents', notebook_path: notebookPath } as const;
    return parseResult('list_agents', await this.#command(command));
  }

  async createSession(choice: Partial<CreateSession> & { agent: string }): Promise<SessionState> {
    const result = await this.#command(
      {
        cwd: null,
        label: '',
        mode: null,
        model: null,
        new: false,
        notebook_path: '',
        policy: null,
        record: null,
        sandbox: null,
        in_copy: null,
        network: null,
        start: 'wait',
        tools: true,
        trust: false,
        ask_trust: true,
        ...choice,
        name: 'create_session',
      },
      START_SECONDS,
    );
    return parseResult('create_session', result);
  }

  readonly send: SessionCalls['prompt'] = (...given) => this.life.prompt(...given);

  async cancel(sessionId: string, turnId: string | null): Promise<void> {
    await this.#command({ name: 'cancel', session_id: sessionId, turn_id: turnId, reason: 'user' });
  }

  async killTerminal(sessionId: string, terminalId: string): Promise<void> {
    await this.#command({
      name: 'kill_terminal',
      session_id: sessionId,
      terminal_id: terminalId,
    });
  }

  readonly answerPermission: PermissionCalls['answer'] = (...given) =>
    this.permissions.answer(...given);

  async answerElicitation(
    sessionId: string,
    requestId: string,
    answer: Pick<AnswerElicitation, 'action' | 'content'>,
  ): Promise<void> {
    await this.#command({
      ...answer,
      name: 'answer_elicitation',
      session_id: sessionId,
      request_id: requestId,
    });
  }

  async editQueued(turnId: string, prompt: string): Promise<void> {
    await this.#command({ name: 'edit_queued', turn_id: turnId, prompt });
  }

  async sendNow(turnId: string): Promise<void> {
    await this.#command({ name: 'send_now', turn_id: turnId });
  }

  async steer(turnId: string): Promise<void> {
    await this.#command({ name: 'steer', turn_id: turnId });
  }

  async closeSession(sessionId: string): Promise<void> {
    await this.#command({ name: 'close_session', session_id: sessionId });
  }

  async setConfig(sessionId: string, change: Partial<SetConfig>): Promise<void> {
    await this.#command({
      config: {},
      mode: null,
      policy: null,
      sandbox: null,
      network: null,
      title: null,
      ...change,
      name: 'set_config',
      session_id: sessionId,
    });
  }

  /**
   * Fetches items into the store, by index or counted from a turn's first; resolves to their
   * number.
   */
  async loadItems(sessionId: string, start: number, end: number, turnId = ''): Promise<number> {
    const asked = { session_id: sessionId, start, end, turn_id: turnId };
    const result = await this.#command({ name: 'get_items', ...asked });
    const page = parseResult('get_items', result);
    this.#followed.get(sessionId)?.store.insert(page);
    return page.items.length;
  }

  #command(command: Command, seconds = SECONDS): Promise<unknown> {
    return this.#socket.command(command, seconds);
  }
}
