import type { Client } from '../../delivery/client';
import { pendingRequest } from '../../state/items';
import type { SessionStore } from '../../state/store';
import { bringIntoView, isReaderBusy, watchReader } from '../../views/request/in_view';
import type { Origin, SessionSummary } from '../../wire/types';
import type { CurrentNotebook } from '../page/current_notebook';
import { hasSnapshot } from '../page/snapshot';
import { drawnRequest } from './focus_request';

/** A policy or rule answers within this time. */
const ANSWERED_MS = 150;

/**
 * Scrolls a notebook to a new request in a cell that is not drawn: a windowed notebook doesn't draw
 * cells out of view. A request that is drawn scrolls itself into view. While a request is open,
 * JupyterLab's notifications are kept away from requests.
 */
export class UndrawnRequests {
  readonly #client: Client;
  readonly #notebook: CurrentNotebook;
  readonly #waiting = new Map<string, number>();

  constructor(client: Client, notebook: CurrentNotebook) {
    this.#client = client;
    this.#notebook = notebook;
    watchReader();
    client.sessionsChanged.add(sessions => sessions.forEach(session => this.#update(session)));
  }

  #update({ session_id: sessionId, waiting, notebook_path: path }: SessionSummary): void {
    const before = this.#waiting.get(sessionId) ?? 0;
    this.#waiting.set(sessionId, waiting);
    if (waiting > before) {
      void import('./move_notifications').then(({ moveNotificationsAside }) =>
        moveNotificationsAside(() => [...this.#waiting.values()].some(count => count > 0)),
      );
    }
    if (waiting > before && this.#notebook.find(path)?.isVisible === true) {
      setTimeout(() => void this.#bring(sessionId), ANSWERED_MS);
    }
  }

  async #bring(sessionId: string): Promise<void> {
    const following = this.#client.follow(sessionId);
    try {
      await hasSnapshot(following.store);
      const newest = pendingRequests(following.store).pop();
      if (newest !== undefined && !isReaderBusy()) {
        await this.#scrollTo(newest);
      }
    } finally {
      following.dispose();
    }
  }

  async #scrollTo({ request, origin }: PendingRequest): Promise<void> {
    const panel = origin === null ? null : this.#notebook.find(origin.notebook_path);
    const cells = panel?.content.widgets ?? [];
    const index = cells.findIndex(({ model }) => model.id === origin?.cell_id);
    const cell = cells[index]?.node;
    const isDrawn = cell?.isConnected === true && cell.offsetHeight > 0;
    if (panel?.isVisible === true && cell !== undefined && !isDrawn && !cells[index]?.isHidden) {
      await panel.content.scrollToItem(index);
      const card = await drawnRequest(cell, request);
      if (card !== null) {
        bringIntoView(card);
      }
    }
  }
}

/** An open request, and the cell of its prompt. */
export interface PendingRequest {
  readonly request: string;
  readonly origin: Origin | null;
}

/** The open requests of a session, in order. */
export function pendingRequests({ view }: SessionStore): PendingRequest[] {
  return [...view.items.values()].flatMap(item => {
    const request = pendingRequest(item);
    const origin = view.turns.get(item.turn_id ?? '')?.origin ?? null;
    return request === null ? [] : [{ request, origin }];
  });
}
