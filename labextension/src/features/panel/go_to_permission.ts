import type { JupyterFrontEnd } from '@jupyterlab/application';

import type { Client } from '../../delivery/client';
import { pendingRequest } from '../../state/items';
import type { SessionStore } from '../../state/store';
import type { Origin } from '../../wire/types';
import { PANEL_ID } from '../page/ids';
import { revealCell } from '../page/current_notebook';
import type { CurrentNotebook } from '../page/current_notebook';
import { hasSnapshot } from '../page/snapshot';
import { focusRequest } from './focus_request';

/** Goes to permission requests and questions that wait for the user. */
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

  /** Focuses a waiting request that is drawn, else one in its cell or, without one, in the panel. */
  async goTo(): Promise<void> {
    const notebook = this.#notebook.panel;
    const roots = [
      notebook?.isVisible === true ? notebook.node : null,
      document.getElementById(PANEL_ID),
    ];
    // At once where it is drawn: the next key may be its answer.
    if (roots.some(root => root !== null && focusRequest(root))) {
      return;
    }
    const waiting = (this.#client.sessions ?? []).filter(session => session.waiting > 0);
    const here = waiting.find(session => session.notebook_path === this.#notebook.path);
    const sessionId = (here ?? waiting[0])?.session_id;
    if (sessionId === undefined) {
      return;
    }
    const following = this.#client.follow(sessionId);
    try {
      await hasSnapshot(following.store);
      const { request, origin } = firstPending(following.store);
      const panel = origin === null ? null : this.#notebook.find(origin.notebook_path);
      // A request that is drawn is gone to without a jump of the notebook.
      const drawn =
        panel?.isVisible === true
          ? panel.node.querySelector(`[data-request="${CSS.escape(request)}"]`)
          : null;
      const cell =
        drawn?.closest<HTMLElement>('.jp-Cell') ??
        (panel !== null && origin !== null
          ? await revealCell(this.#app, this.#notebook, origin)
          : null);
      const root = cell ?? (await this.#openSession(sessionId));
      await new Promise(resolve => requestAnimationFrame(resolve));
      focusRequest(root);
    } finally {
      following.dispose();
    }
  }
}

/** The first request that waits in a session, and the cell that it comes from. */
function firstPending({ view }: SessionStore): { request: string; origin: Origin | null } {
  for (const item of view.items.values()) {
    const request = pendingRequest(item);
    if (request !== null) {
      return { request, origin: view.turns.get(item.turn_id ?? '')?.origin ?? null };
    }
  }
  return { request: '', origin: null };
}
