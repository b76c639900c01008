import type { Client, Refused } from '../../delivery/client';
import { clientActions } from '../../widget/widget_views';
import type { InboxProps } from './props';

/** What the inbox is drawn from, in any page that has a client. */
export class Inbox {
  readonly #client: Client;
  readonly #changed: () => void;
  readonly #stops: readonly (() => void)[];
  readonly #fixed: Pick<InboxProps, 'actions' | 'follow'>;
  #opened = '';
  #refused: Refused | null = null;

  /** `changed` is called when something else is to be drawn. */
  constructor(client: Client, changed: () => void) {
    this.#client = client;
    this.#changed = changed;
    this.#fixed = { actions: clientActions(client), follow: id => client.follow(id) };
    this.#stops = [
      client.connectionChanged.add(changed),
      client.sessionsChanged.add(changed),
      client.refused.add(refused => {
        if (refused.sessionId === this.#opened) {
          this.#refused = refused;
          changed();
        }
      }),
    ];
  }

  /** Shows a session; empty for the list. */
  open(sessionId: string): void {
    if (sessionId !== this.#opened) {
      this.#opened = sessionId;
      this.#refused = null;
      this.#changed();
    }
  }

  get props(): Omit<InboxProps, 'open'> {
    const { sessions, connection } = this.#client;
    const opened = { opened: this.#opened, refused: this.#refused };
    return { ...this.#fixed, ...opened, sessions, connection };
  }

  dispose(): void {
    this.#stops.forEach(stop => stop());
  }
}
