import type { CodeCell } from '@jupyterlab/cells';

import type { Client } from '../../delivery/client';
import type { PromptCellTurn, TurnState } from '../../wire/types';

type Sent = Pick<PromptCellTurn, 'session_id' | 'turn_id' | 'timeout'>;

/** The prompts of cells that this page has sent, and that have not ended. */
export class RunningPrompts {
  readonly #client: Client;
  readonly #running = new Map<CodeCell, Sent>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Resolves to the turn when it has ended; to `null` if the cell or the session is gone. */
  async untilDone(cell: CodeCell, sent: Sent): Promise<TurnState | null> {
    const { session_id: sessionId, turn_id: turnId, timeout } = sent;
    this.#running.set(cell, sent);
    const following = this.#client.follow(sessionId);
    const { store } = following;
    const stops: (() => void)[] = [];
    const timer =
      timeout === null ? undefined : setTimeout(() => this.#stop(sent), timeout * 1_000);
    try {
      return await new Promise<TurnState | null>(resolve => {
        const look = () => {
          const turn = store.view.turns.get(turnId);
          if (turn?.status === 'done') {
            resolve(turn);
          }
        };
        const gone = () => resolve(null);
        cell.disposed.connect(gone);
        stops.push(
          store.subscribeSession(look),
          this.#client.refused.add(refused => {
            if (refused.sessionId === sessionId) {
              gone();
            }
          }),
          () => cell.disposed.disconnect(gone),
        );
        look();
      });
    } finally {
      clearTimeout(timer);
      stops.forEach(stop => stop());
      following.dispose();
      this.#running.delete(cell);
    }
  }

  /** Stops the prompts of some cells, as interrupting a kernel stops its cells. */
  stop(isOne: (cell: CodeCell) => boolean): void {
    for (const [cell, sent] of this.#running) {
      if (isOne(cell)) {
        this.#stop(sent, 'user');
      }
    }
  }

  #stop({ session_id, turn_id }: Sent, reason: 'user' | 'time_limit' = 'time_limit'): void {
    // If it can't be sent, the turn goes on, and shows that.
    void this.#client.run({ name: 'cancel', session_id, turn_id, reason }).catch(() => undefined);
  }
}
