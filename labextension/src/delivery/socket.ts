import type { SessionStore } from '../state/store';
import { parseServerFrame } from '../wire/parse_frame';
import { API_VERSION } from '../wire/types';
import type {
  AnswerFrame,
  AskFrame,
  ClientFrame,
  Command,
  DocumentState,
  ErrorBody,
  ErrorFrame,
  Event,
  EventsFrame,
  HelloFrame,
  ImportProgress,
  ServerFrame,
  SessionSummary,
} from '../wire/types';
import { Acks } from './acks';
import { Calls } from './calls';
import { notConnected, otherVersion } from './failure';
import { waitBefore } from './transport';
import type { Channel, Connection, Transport } from './transport';

/** Longest wait for the host's `hello` frame. */
const HELLO_MS = 10_000;

/** What a socket reports to its owner. */
export interface SocketEvents {
  connection(connection: Connection): void;
  sessions(sessions: readonly SessionSummary[]): void;
  imports(imports: readonly ImportProgress[]): void;
  /** Events that were applied to the session's store. */
  applied(sessionId: string, events: readonly Event[]): void;
  /** A session that cannot be followed. */
  refused(sessionId: string, error: ErrorBody): void;
  /** A request about an open document; `answer` replies to it. */
  ask(frame: AskFrame): void;
}

/** The one connection of a page: events of many sessions, commands, requests about documents. */
export class Socket {
  readonly #transport: Transport;
  readonly #events: SocketEvents;
  readonly #stores = new Map<string, SessionStore>();
  #user = '';
  /** Sessions that need a snapshot after a gap. */
  readonly #resnapping = new Set<string>();
  readonly #calls = new Calls();
  readonly #acks = new Acks((session_id, seq) => this.#send({ type: 'ack', session_id, seq }));
  #documents: readonly DocumentState[] = [];
  #channel: Channel | null = null;
  #connection: Connection = { state: 'connecting' };
  /** Attempts to connect since the last `hello`. */
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waiting: (() => void)[] = [];
  #disposed = false;

  constructor(transport: Transport, events: SocketEvents) {
    this.#transport = transport;
    this.#events = events;
  }

  get connection(): Connection {
    return this.#connection;
  }

  /** Opens the connection, and reopens it whenever it is lost. */
  start(): void {
    if (this.#channel !== null || this.#disposed) {
      return;
    }
    clearTimeout(this.#timer);
    this.#move({ state: 'connecting' });
    const channel = this.#transport.connect({
      message: data => {
        const frame = parseServerFrame(data);
        if (this.#channel === channel && frame !== null) {
          this.#take(frame);
        }
      },
      closed: () => {
        if (this.#channel === channel) {
          this.#lost();
        }
      },
    });
    this.#channel = channel;
    this.#timer = setTimeout(() => channel.close(), HELLO_MS);
  }

  /** Connects now instead of at the end of the wait. */
  retryNow(): void {
    if (this.#connection.state === 'lost') {
      this.start();
    }
  }

  /** Replaces a connection that may be dead although nothing has closed it. */
  renew(): void {
    if (this.#connection.state === 'open') {
      this.#channel?.close();
    }
    this.retryNow();
  }

  /** Subscribes to a session's events, from the last one that the store has. */
  follow(store: SessionStore): void {
    store.viewer = this.#user;
    this.#stores.set(store.view.sessionId, store);
    if (this.#connection.state === 'open') {
      this.#subscribe(store);
    }
  }

  unfollow(sessionId: string): void {
    if (this.#stores.delete(sessionId)) {
      this.#resnapping.delete(sessionId);
      this.#send({ type: 'unsubscribe', session_id: sessionId });
    }
  }

  /**
   * Sends a command; resolves to its result.
   *
   * A page that is still connecting waits until it is connected. A page that has lost its
   * connection fails at once: a click must not act minutes later.
   */
  async command(command: Command, seconds: number): Promise<unknown> {
    if (this.#connection.state === 'connecting') {
      await new Promise<void>(resolve => this.#waiting.push(resolve));
    }
    // The state has changed meanwhile, which the type checker cannot see.
    const now: Connection = this.connection;
    if (now.state !== 'open') {
      throw (now.state === 'lost' ? now.failure : null) ?? notConnected();
    }
    return this.#calls.make(seconds, id => this.#send({ type: 'command', id, command }));
  }

  /** Reports all documents that are open in the page; repeated on each new connection. */
  hold(documents: readonly DocumentState[]): void {
    this.#documents = documents;
    this.#tellDocuments();
  }

  answer(frame: AnswerFrame): void {
    this.#send(frame);
  }

  /** Asks for a fresh snapshot of each session, because a frame was lost. */
  resync(): void {
    for (const store of this.#stores.values()) {
      this.#resnap(store);
    }
  }

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
    const channel = this.#channel;
    this.#channel = null;
    channel?.close();
    this.#calls.abandon();
    this.#acks.clear();
    this.#move({ state: 'lost', retryAt: null, failure: null });
  }

  #take(frame: ServerFrame): void {
    switch (frame.type) {
      case 'hello':
        this.#greet(frame);
        break;
      case 'sessions':
        this.#events.sessions(frame.sessions);
        break;
      case 'imports':
        this.#events.imports(frame.imports);
        break;
      case 'events':
        this.#apply(frame);
        break;
      case 'reply':
        this.#calls.settle(frame);
        break;
      case 'ask':
        this.#events.ask(frame);
        break;
      case 'error':
        this.#refuse(frame);
        break;
    }
  }

  #greet(hello: HelloFrame): void {
    clearTimeout(this.#timer);
    if (hello.api_version !== API_VERSION) {
      const channel = this.#channel;
      this.#channel = null;
      channel?.close();
      this.#move({ state: 'lost', retryAt: null, failure: otherVersion(hello.version) });
      return;
    }
    this.#attempt = 0;
    this.#resnapping.clear();
    this.#move({ state: 'open' });
    this.#tellDocuments();
    this.#user = hello.user;
    for (const store of this.#stores.values()) {
      store.viewer = this.#user;
      this.#subscribe(store);
    }
    this.#events.sessions(hello.sessions);
    this.#events.imports([]);
  }

  #subscribe(store: SessionStore): void {
    const { sessionId, epoch, seq, stale } = store.view;
    this.#send({
      type: 'subscribe',
      session_id: sessionId,
      after: stale ? null : seq,
      epoch: stale ? '' : epoch,
    });
  }

  #apply({ session_id: sessionId, events }: EventsFrame): void {
    const store = this.#stores.get(sessionId);
    if (store === undefined) {
      return;
    }
    store.apply(events);
    const { seq, stale } = store.view;
    if (!stale) {
      this.#resnapping.delete(sessionId);
    } else if (!this.#resnapping.has(sessionId)) {
      this.#resnap(store);
    }
    if (seq !== null) {
      this.#acks.add(sessionId, seq);
    }
    this.#events.applied(sessionId, events);
  }

  #resnap(store: SessionStore): void {
    const session_id = store.view.sessionId;
    this.#resnapping.add(session_id);
    this.#send({ type: 'subscribe', session_id, after: null, epoch: '' });
  }

  #refuse({ session_id: sessionId, error }: ErrorFrame): void {
    if (sessionId === '') {
      console.error(`acp-jupyter: the server refused a frame: ${error.message}`);
    } else if (this.#stores.has(sessionId)) {
      this.#events.refused(sessionId, error);
    }
  }

  #tellDocuments(): void {
    this.#send({ type: 'documents', documents: [...this.#documents] });
  }

  #send(frame: ClientFrame): void {
    if (this.#connection.state === 'open') {
      this.#channel?.send(frame);
    }
  }

  #lost(): void {
    const greeted = this.#connection.state === 'open';
    this.#channel = null;
    clearTimeout(this.#timer);
    this.#calls.abandon();
    this.#acks.clear();
    const wait = waitBefore(this.#attempt++, Math.random());
    this.#timer = setTimeout(() => this.start(), wait);
    this.#move({ state: 'lost', retryAt: Date.now() + wait, failure: null });
    if (!greeted) {
      void this.#explain();
    }
  }

  async #explain(): Promise<void> {
    const failure = await this.#transport.explain();
    if (this.#connection.state !== 'lost' || failure === null) {
      return;
    }
    const hopeless = failure.reason === 'not_installed';
    if (hopeless) {
      clearTimeout(this.#timer); // until the user asks for it, or the page is reloaded
    }
    this.#move({ state: 'lost', retryAt: hopeless ? null : this.#connection.retryAt, failure });
  }

  #move(connection: Connection): void {
    this.#connection = connection;
    this.#events.connection(connection);
    if (connection.state !== 'connecting') {
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const go of waiting) {
        go();
      }
    }
  }
}
