import { isRecord } from '../wire/read';
import { refusal } from './failure';
import type { Failure } from './failure';
import type { Channel, ChannelEvents, Transport } from './transport';

/** Where the server's routes are, below its base URL. */
export const API_PATH = 'acp-jupyter/api/';

/** How a page reaches the server: over what its own application uses. */
export interface ServerAccess {
  openSocket(path: string): WebSocket;
  /** A GET with the user's credentials and the XSRF token. */
  get(path: string): Promise<Response>;
}

/** The server's WebSocket as a transport. */
export class PageTransport implements Transport {
  readonly #access: ServerAccess;

  constructor(access: ServerAccess) {
    this.#access = access;
  }

  connect(events: ChannelEvents): Channel {
    const socket = this.#access.openSocket(`${API_PATH}stream`);
    let closed = false;
    const close = () => {
      if (!closed) {
        closed = true;
        events.closed();
      }
    };
    socket.onmessage = message => {
      const data: unknown = message.data;
      if (!closed && typeof data === 'string') {
        events.message(data);
      }
    };
    socket.onclose = close;
    return {
      send: frame => {
        if (socket.readyState === WebSocket.OPEN) {
          socket.send(JSON.stringify(frame));
        }
      },
      close: () => {
        socket.close();
        close();
      },
    };
  }

  async explain(): Promise<Failure | null> {
    try {
      return refusal((await this.#access.get(`${API_PATH}sessions`)).status);
    } catch {
      return null; // the server itself is away: nothing to add
    }
  }
}

/** Base URL of a Jupyter page, from the page itself; `null` in any other page. */
export function pageBaseUrl(): URL | null {
  const text = document.getElementById('jupyter-config-data')?.textContent;
  if (!text) {
    return null;
  }
  const config: unknown = JSON.parse(text);
  return isRecord(config) && typeof config.baseUrl === 'string'
    ? new URL(config.baseUrl, location.href)
    : null;
}

/**
 * Access with the page's cookies, for a widget without JupyterLab's services.
 *
 * JupyterHub answers 403 to a GET without the XSRF token, a plain server does
 * not: so it goes along always.
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
