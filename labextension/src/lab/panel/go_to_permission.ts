import type { JupyterFrontEnd } from '@jupyterlab/application';
import { CodeCell } from '@jupyterlab/cells';

import type { Client } from '../../delivery/client';
import type { SessionSummary } from '../../wire/types';
import { PANEL_ID } from '../page/ids';
import { revealCell } from '../page/current_notebook';
import type { CurrentNotebook } from '../page/current_notebook';
import { hasSnapshot } from '../page/snapshot';
import { drawnRequest, focusRequest } from './focus_request';
import { pendingRequests } from './undrawn_requests';
import type { PendingRequest } from './undrawn_requests';

/** Longest time for a notebook that had to be opened to restore and draw its output. */
const REOPENED_MS = 10_000;

/** Goes to open permission requests and questions. */
export class Permissions {
  readonly #app: JupyterFrontEnd;
  readonly #client: Client;
  readonly #notebook: CurrentNotebook;
  readonly #openSession: (sessionId: string) => Promise<HTMLElement>;

  /** `openSession` shows a session in the panel, and gives the panel's element. */
  constructor(
    app: JupyterFrontEnd,
    client: Client,
    notebook: CurrentNotebook,
    openSession: (sessionId: string) => Promise<HTMLElement>,
  ) {
    this.#app = app;
    this.#client = client;
    this.#notebook = notebook;
    this.#openSession = openSession;
  }

  /**
   * Focuses an open request that is drawn, else one in its cell; if no cell can show it, in the
   * panel.
   */
  async goTo(): Promise<void> {
    const notebook = this.#notebook.panel;
    const roots = [
      notebook?.isVisible === true ? notebook.node : null,
      document.getElementById(PANEL_ID),
    ];
    // At once if it is drawn: the next key may be its answer.
    if (roots.some(root => root !== null && focusRequest(root))) {
      return;
    }
    const waiting = (this.#client.sessions ?? []).filter(session => session.waiting > 0);
    const isHere = (session: SessionSummary) => session.notebook_path === this.#notebook.path;
    const inOrder = [...waiting.filter(isHere), ...waiting.filter(session => !isHere(session))];
    for (const { session_id: sessionId } of inOrder) {
      if (await this.#goToFirst(sessionId)) {
        return;
      }
    }
  }

  /** Resolves to whether the session has a request, as the list of sessions may be out of date. */
  async #goToFirst(sessionId: string): Promise<boolean> {
    const following = this.#client.follow(sessionId);
    try {
      await hasSnapshot(following.store);
      const [first] = pendingRequests(following.store);
      if (first === undefined && following.store.view.seq !== null) {
        return false;
      }
      const cell = first === undefined ? null : await this.#cellOf(first);
      if (cell === null || !focusRequest(cell, REOPENED_MS)) {
        const panel = await this.#openSession(sessionId);
        await drawnRequest(panel, first?.request ?? '');
        focusRequest(panel);
      }
      return true;
    } finally {
      following.dispose();
    }
  }

  /** Scrolls to the cell that shows a request, and returns it; `null` if no cell can. */
  async #cellOf({ request, origin }: PendingRequest): Promise<HTMLElement | null> {
    if (origin === null || origin.cell_id === '') {
      return null;
    }
    const wasOpen = this.#notebook.find(origin.notebook_path) !== null;
    // The notebook may be closed by now.
    const cell = await revealCell(this.#app, this.#notebook, origin).catch(() => null);
    const panel = this.#notebook.find(origin.notebook_path);
    const found = panel?.content.widgets.find(({ node }) => node === cell);
    if (cell === null || !(found instanceof CodeCell)) {
      return null;
    }
    // A notebook that was closed before its output was saved gets it back soon.
    const mayDraw = !wasOpen || found.model.outputs.length > 0;
    const withinMs = wasOpen ? undefined : REOPENED_MS;
    const card = mayDraw ? await drawnRequest(cell, request, withinMs) : null;
    return card === null ? null : cell;
  }
}
