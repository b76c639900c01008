import type { SessionStore } from '../state/store';
import type { AttachedTurn, Event, ToolCall } from '../wire/types';
import type { Client, Following } from './client';
import { Failure } from './failure';

/** Items fetched at a time, and how often, for a turn that lies before the window. */
const PAGE = 200;

const MAX_PAGES = 25;

/** Which turn, and the cell it is shown for. */
export interface TurnCell {
  readonly turnId: string;
  readonly notebookPath: string;
  readonly cellId: string;
}

/** A turn that can be drawn from its session's store. */
export interface Drawable {
  readonly store: SessionStore;
  /** Whether the host still has it; else it is drawn without controls. */
  readonly live: boolean;
}

/**
 * A turn of a cell, live once and as long as the host confirms the cell.
 *
 * Until then, and where the host does not confirm, the owner draws the saved
 * copy without controls.
 */
export class LiveTurn {
  readonly #client: Client;
  readonly #cell: TurnCell;
  readonly #changed: (turn: Drawable | null) => void;
  readonly #stops: (() => void)[];
  #attached: AttachedTurn | null = null;
  #following: Following | null = null;
  #refusal = '';
  #trying = false;
  #disposed = false;

  /** `changed` gets the turn when it can be drawn, `null` when the saved copy must do. */
  constructor(client: Client, cell: TurnCell, changed: (turn: Drawable | null) => void) {
    this.#client = client;
    this.#cell = cell;
    this.#changed = changed;
    this.#stops = [
      client.connectionChanged.add(({ state }) => {
        if (state === 'open') {
          void this.#attach();
        }
      }),
      client.snapshotTaken.add(sessionId => {
        if (sessionId === this.#attached?.session_id) {
          void this.#show();
        }
      }),
      client.refused.add(({ sessionId }) => {
        if (sessionId === this.#attached?.session_id) {
          this.#detach();
        }
      }),
    ];
    if (client.connection.state !== 'lost') {
      void this.#attach();
    }
  }

  /** Why the turn is not live, in words; empty while that is not known. */
  get refusal(): string {
    return this.#refusal;
  }

  dispose(): void {
    this.#disposed = true;
    for (const stop of this.#stops) {
      stop();
    }
    this.#following?.dispose();
    this.#following = null;
  }

  async #attach(): Promise<void> {
    if (this.#trying || this.#following !== null) {
      return;
    }
    this.#trying = true;
    const { turnId, notebookPath, cellId } = this.#cell;
    try {
      const attached = await this.#client.attachTurn(turnId, notebookPath, cellId);
      if (!this.#disposed) {
        this.#attached = attached;
        this.#following = this.#client.follow(attached.session_id);
        await this.#show();
      }
    } catch (error) {
      // Not this cell's turn, not known any more, or the connection went away:
      // the saved copy stands; the next connection tries again.
      this.#refusal = Failure.from(error).message;
      if (!this.#disposed) {
        this.#changed(null);
      }
    } finally {
      this.#trying = false;
    }
  }

  /** Hands on the store once it holds the turn's own items. */
  async #show(): Promise<void> {
    const store = this.#following?.store;
    const attached = this.#attached;
    if (store === undefined || attached === null || store.view.seq === null) {
      return;
    }
    await this.#fetchOlder(store, attached).catch(() => {
      // What is at hand is drawn.
    });
    if (this.#following?.store === store) {
      this.#changed({ store, live: true });
    }
  }

  async #fetchOlder(store: SessionStore, attached: AttachedTurn): Promise<void> {
    let start = attached.first_index;
    for (let page = 0; page < MAX_PAGES && start < store.view.firstIndex; page++) {
      const end = Math.min(start + PAGE, store.view.firstIndex);
      const count = await this.#client.loadItems(attached.session_id, start, end);
      start += count;
      if (count === 0 || !isOfTurn(store, start - 1, this.#cell.turnId)) {
        return;
      }
    }
  }

  #detach(): void {
    const store = this.#following?.store;
    this.#following?.dispose();
    this.#following = null;
    this.#attached = null;
    if (store === undefined || store.view.seq === null) {
      this.#changed(null);
    } else {
      expireTurn(store, this.#cell.turnId);
      this.#changed({ store, live: false });
    }
  }
}

/** Whether the item at that index is of the turn, so that the next may be too. */
function isOfTurn(store: SessionStore, index: number, turnId: string): boolean {
  const ids = store.view.byTurn.get(turnId) ?? [];
  return ids.some(id => store.view.positions.get(id) === index);
}

/** What a turn ends with whose host has forgotten it. */
const EXPIRED_WORDS =
  'The server was restarted, or the session was closed. The turn has ended; no question of it was answered.';

const EXPIRED = { state: 'expired', outcome: 'Expired: server restarted' } as const;

/** Ends a turn in the page alone: its host no longer knows it, so nothing more will come. */
export function expireTurn(store: SessionStore, turnId: string): void {
  const { view } = store;
  const turn = view.turns.get(turnId);
  if (turn === undefined || turn.status === 'done') {
    return;
  }
  const base = { session_id: view.sessionId, seq: (view.seq ?? 0) + 1 };
  const items = (view.byTurn.get(turnId) ?? []).flatMap((id): Event[] => {
    const item = view.items.get(id);
    if (item?.kind === 'elicitation' && item.state === 'pending') {
      return [{ kind: 'item_replaced', ...base, item: { ...item, ...EXPIRED } }];
    }
    return item?.kind === 'tool_call' && isOpen(item)
      ? [{ kind: 'item_replaced', ...base, item: expired(item) }]
      : [];
  });
  const failure = { message: EXPIRED_WORDS, detail: '', reason: 'forgotten' };
  store.apply([
    ...items,
    {
      kind: 'turn_ended',
      ...base,
      turn: { ...turn, status: 'done', stop_reason: 'error', words: EXPIRED_WORDS, failure },
    },
  ]);
}

function isOpen({ status }: ToolCall): boolean {
  return status === 'pending' || status === 'in_progress';
}

function expired(item: ToolCall): ToolCall {
  const { permission } = item;
  return {
    ...item,
    status: 'cancelled',
    permission: permission?.state === 'pending' ? { ...permission, ...EXPIRED } : permission,
  };
}
