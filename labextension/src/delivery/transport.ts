import type { ClientFrame } from '../wire/types';
import type { Failure } from './failure';

/** One connection to a host. */
export interface Channel {
  send(frame: ClientFrame): void;
  close(): void;
}

/** What a connection reports; nothing comes after `closed`. */
export interface ChannelEvents {
  /** A server frame as it came. */
  message(data: string): void;
  closed(): void;
}

/** A way to the host: the server's WebSocket, or a widget's comm. */
export interface Transport {
  /** Opens a connection; the host's hello is its first message. */
  connect(events: ChannelEvents): Channel;
  /** Why no connection could be opened, if more is known than that. */
  explain(): Promise<Failure | null>;
}
