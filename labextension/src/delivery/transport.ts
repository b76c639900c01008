import type { ClientFrame } from '../wire/types';
import { refusal } from './failure';
import type { Failure } from './failure';
import { dataOf, listen, send } from './own_socket';

/** One connection to a host. */
export interface Channel {
  send(frame: ClientFrame): void;
  close(): void;
}

/** What a connection reports; nothing comes after `closed`. */
export interface ChannelEvents {
  /** A frame of the server, not parsed. */
  message(data: string): void;
  closed(): void;
}

/** A kind of connection to the host: the server's WebSocket, or a widget's comm. */
export interface Transport {
  /** Opens a connection; the host's hello is its first message. */
  connect(events: ChannelEvents): Channel;
  /** Why no connection could be opened; `null` if that is not known. */
  explain(): Promise<Failure | null>;
}

/** The state of the page's connection to its host. */
export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'open' }
  /** `retryAt`: when the next attempt starts, in milliseconds since the epoch; `null` for never. */
  | { readonly state: 'lost'; readonly retryAt: number | null; readonly failure: Failure | null };

/** Waits between attempts, in seconds; the last one repeats. */
const RETRY_SECONDS = [1, 2, 4, 8, 15];

/** Wait before an attempt in milliseconds, spread so that many pages do not reconnect at once. */
export function waitBefore(attempt: number, random: number): number {
  const seconds = RETRY_SECONDS[Math.min(attempt, RETRY_SECONDS.length - 1)] ?? 15;
  return Math.round(seconds * 1000 * (0.8 + 0.4 * random));
}

/** The path of the server's routes, below its base URL. */
export const API_PATH = 'acp-jupyter/api/';

/** Access to the server as the page's own application has it. */
export interface ServerAccess {
  openSocket(path: string): WebSocket;
  /** A GET with the user's credentials and the XSRF token. */
  get(path: string): Promise<Response>;
}

/** The server's WebSocket as a transport. */
export class PageTransport implements Transport {
  readonly #access: ServerAccess;
  readonly #proof: string;

  /** `key`: proves to the server that a connection is the page's own; see `takePageKey`. */
  constructor(access: ServerAccess, key = '') {
    this.#access = access;
    const proof: ClientFrame = { type: 'proof', key };
    this.#proof = key === '' ? '' : JSON.stringify(proof);
  }

  connect(events: ChannelEvents): Channel {
    let closed = false;
    let greeted = false;
    const close = () => {
      if (!closed) {
        closed = true;
        events.closed();
      }
    };
    const socket = this.#open();
    if (socket === null) {
      queueMicrotask(close); // the caller does not know the channel yet
      return { send: () => undefined, close };
    }
    listen(socket, 'message', message => {
      const data = dataOf(message);
      if (closed || typeof data !== 'string') {
        return;
      }
      if (!greeted) {
        greeted = true;
        if (this.#proof !== '') {
          send(socket, this.#proof);
        }
      }
      events.message(data);
    });
    listen(socket, 'close', close);
    return {
      send: frame => {
        if (greeted && !closed) {
          send(socket, JSON.stringify(frame));
        }
      },
      close: () => {
        socket.close();
        close();
      },
    };
  }

  /** `null` if the page's policy forbids it. */
  #open(): WebSocket | null {
    try {
      return this.#access.openSocket(`${API_PATH}stream`);
    } catch {
      return null;
    }
  }

  async explain(): Promise<Failure | null> {
    try {
      return refusal((await this.#access.get(`${API_PATH}sessions`)).status);
    } catch {
      return null; // the server itself does not answer
    }
  }
}

/**
 * Access with the page's cookies, for a widget without JupyterLab's services.
 *
 * The XSRF token is always sent: JupyterHub answers 403 to a GET without it.
 */
export function cookieAccess(base: URL): ServerAccess {
  return {
    openSocket: path => {
      const url = new URL(path, base);
      url.protocol = url.protocol.replace('http', 'ws');
      return new WebSocket(url);
    },
    get: path =>
      fetch(new URL(path, base), {
        credentials: 'same-origin',
        cache: 'no-store',
        headers: { 'X-XSRFToken': cookie('_xsrf') },
      }),
  };
}

function cookie(name: string): string {
  const entry = document.cookie.split('; ').find(part => part.startsWith(`${name}=`));
  return entry === undefined ? '' : decodeURIComponent(entry.slice(name.length + 1));
}
