import type { Channel, ChannelEvents, Transport } from '../delivery/transport';
import type { Part } from '../views';
import { isRecord } from '../wire/read';

/** A message of the kernel; a changed trait; the kernel is gone, or back again. */
type ModelEvent = 'msg:custom' | 'change:asked_below' | 'comm_live_update';

/** The part of a widget's model that carries messages. */
export interface CommModel {
  on(event: ModelEvent, listener: (message: unknown) => void): void;
  off(event: ModelEvent, listener: (message: unknown) => void): void;
  send(content: unknown): void;
}

/**
 * The kernel as host, over a widget's comm.
 *
 * It listens to the *model* from the start, so that messages before any view are
 * not lost. Messages are numbered, because the server drops some silently when a
 * kernel sends too many; then `onGap` is called.
 */
export class CommTransport implements Transport {
  readonly #model: CommModel;
  readonly #onGap: () => void;
  readonly #onCall: () => void;

  /** `onCall`: the kernel asks whether a page shows the widget and can reach it. */
  constructor(model: CommModel, onGap: () => void, onCall: () => void) {
    this.#model = model;
    this.#onGap = onGap;
    this.#onCall = onCall;
  }

  connect(events: ChannelEvents): Channel {
    let next: number | null = null;
    let closed = false;
    const take = (message: unknown) => {
      if (isRecord(message) && message.call === true) {
        this.#onCall();
      }
      if (!isRecord(message) || typeof message.n !== 'number') {
        return;
      }
      const gap = next !== null && message.n !== next;
      next = message.n + 1;
      events.message(JSON.stringify(message.frame));
      if (gap) {
        this.#onGap();
      }
    };
    this.#model.on('msg:custom', take);
    this.#model.send({ open: true });
    return {
      send: frame => this.#model.send({ frame }),
      close: () => {
        if (!closed) {
          closed = true;
          this.#model.off('msg:custom', take);
          events.closed();
        }
      },
    };
  }

  explain(): Promise<null> {
    return Promise.resolve(null);
  }
}

/** The constant traits of a widget. */
export interface Traits {
  readonly part: Part;
  /** Empty for the session's running turn, else its newest. */
  readonly turnId: string;
  readonly sessionId: string;
  readonly mode: 'server' | 'comm';
  readonly apiVersion: number;
  readonly notebookPath: string;
  readonly cellId: string;
}

const PARTS: readonly Part[] = [
  'turn',
  'text',
  'plan',
  'tool_calls',
  'diffs',
  'permission',
  'composer',
  'session',
];

export interface Model extends CommModel {
  get(name: string): unknown;
}

export function readTraits(model: Model): Traits {
  const text = (name: string) => {
    const value = model.get(name);
    return typeof value === 'string' ? value : '';
  };
  const part = model.get('part');
  return {
    part: PARTS.find(each => each === part) ?? 'turn',
    turnId: text('turn_id'),
    sessionId: text('session_id'),
    mode: model.get('mode') === 'comm' ? 'comm' : 'server',
    apiVersion: Number(model.get('api_version')),
    notebookPath: text('notebook_path'),
    cellId: text('cell_id'),
  };
}
