import { isUnderWay } from '../state/items';
import type { SessionStore } from '../state/store';
import type { AttachedTurn, Event, ToolCall } from '../wire/types';
import type { Client, Following } from './client';
import { Failure } from './failure';

/** Number of items first fetched for a turn older than the snapshot; most turns have fewer. */
const FIRST_PAGE = 50;

/** Number of items per later fetch, and the most such fetches. */
const PAGE = 200;

const MAX_PAGES = 25;

/** A turn and the cell that shows it. */
export interface TurnCell {
  readonly turnId: string;
  readonly notebookPath: string;
  readonly cellId: string;
}

/** A turn that can be drawn from its session's store. */
export interface Drawable {
  readonly store: SessionStore;
  /** Whether the host still has the turn; otherwise it is drawn without controls. */
  readonly live: boolean;
}

/**
 * The turn of a cell, live once the host confirms that it belongs to that cell.
 *
 * Until then, or if the host does not confirm it, the owner draws the saved output without
 * controls.
 */
export class LiveTurn {
  readonly #client: Client;
  readonly #cell: TurnCell;
  readonly #changed: (turn: Drawable | null) => void;
  readonly #stops: (() => void)[];
  #attached: AttachedTurn | null = null;
  #following: Following | null = null;
  /** Releases the turn's items. */
  #release: (() => void) | null = null;
  #refusal = '';
  #trying = false;
  #disposed = false;

  /** `changed` gets the turn when it can be drawn, `null` when only the saved output can. */
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

  /** Why the turn is not live, for the user; empty while that is not known. */
  get refusal(): string {
    return this.#refusal;
  }

  dispose(): void {
    this.#disposed = true;
    for (const stop of this.#stops) {
      stop();
    }
    this.#release?.();
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
      const attached = await this.#client.run({
        ...{ name: 'attach_turn', turn_id: turnId, notebook_path: notebookPath, cell_id: cellId },
      });
      if (!this.#disposed) {
        this.#attached = attached;
        this.#following = this.#client.follow(attached.session_id);
        this.#release?.();
        this.#release = this.#following.store.hold(this.#cell.turnId);
        await this.#show();
      }
    } catch (error) {
      // Not this cell's turn, not known any more, or the connection went away:
      // the saved output stays; the next connection tries again.
      this.#refusal = Failure.from(error).message;
      if (!this.#disposed) {
        this.#changed(null);
      }
    } finally {
      this.#trying = false;
    }
  }

  /** Reports the store once it holds all items of the turn. */
  async #show(): Promise<void> {
    const store = this.#following?.store;
    const attached = this.#attached;
    if (store === undefined || attached === null || store.view.seq === null) {
      return;
    }
    await this.#fetchOlder(store, attached).catch(() => {
      // The fetched items are drawn.
    });
    if (this.#following?.store === store) {
      this.#changed({ store, live: true });
    }
  }

  async #fetchOlder(store: SessionStore, attached: AttachedTurn): Promise<void> {
    let start = attached.first_index;
    for (let page = 0; page < MAX_PAGES && start < store.view.firstIndex; page++) {
      const length = page === 0 ? FIRST_PAGE : PAGE;
      const end = Math.min(start + length, store.view.firstIndex);
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

/** Whether the item at that index belongs to the turn; then the next one may, too. */
function isOfTurn(store: SessionStore, index: number, turnId: string): boolean {
  const ids = store.view.byTurn.get(turnId) ?? [];
  return ids.some(id => store.view.positions.get(id) === index);
}

/** The end of a turn that its host no longer knows. */
const EXPIRED_WORDS =
  'The server was restarted, or the session was closed. The turn has ended; its open questions were not answered.';

/**
 * Ends a turn in the page's store, with its background work, since its host no longer knows it and
 * sends nothing more.
 */
export function expireTurn(
  store: SessionStore,
  turnId: string,
  words = EXPIRED_WORDS,
  outcome = 'Expired: server restarted',
): void {
  const { view } = store;
  const turn = view.turns.get(turnId);
  if (turn === undefined) {
    return;
  }
  const base = { session_id: view.sessionId, seq: (view.seq ?? 0) + 1 };
  const expiry = { state: 'expired', outcome } as const;
  const items = (view.byTurn.get(turnId) ?? []).flatMap((id): Event[] => {
    const item = view.items.get(id);
    if (item?.kind === 'elicitation' && item.state === 'pending') {
      return [{ kind: 'item_replaced', ...base, item: { ...item, ...expiry } }];
    }
    if ((item?.kind === 'agent_message' || item?.kind === 'thought') && item.open) {
      return [{ kind: 'item_closed', ...base, item_id: id, at: Date.now() / 1000 }];
    }
    return item?.kind === 'tool_call' && (isUnderWay(item) || item.background)
      ? [{ kind: 'item_replaced', ...base, item: expired(item, expiry) }]
      : [];
  });
  if (turn.status === 'done') {
    store.apply(items);
    return;
  }
  const failure = { message: words, detail: '', reason: 'forgotten' };
  store.apply([
    ...items,
    {
      kind: 'turn_ended',
      ...base,
      turn: { ...turn, status: 'done', stop_reason: 'error', words, failure },
    },
  ]);
}

interface Expiry {
  readonly state: 'expired';
  readonly outcome: string;
}

function expired(item: ToolCall, expiry: Expiry): ToolCall {
  const { permission } = item;
  return {
    ...item,
    status: isUnderWay(item) ? 'cancelled' : item.status,
    background: false,
    can_cancel: false,
    cancelling: false,
    terminal: item.terminal === null ? null : { ...item.terminal, running: false },
    permission: permission?.state === 'pending' ? { ...permission, ...expiry } : permission,
  };
}
