import type { JupyterFrontEnd } from '@jupyterlab/application';

import type { Client } from '../../delivery/client';
import { pendingRequest } from '../../state/items';
import type { SessionStore } from '../../state/store';
import type { Origin } from '../../wire/types';
import { revealCell } from '../page/current_notebook';
import type { CurrentNotebook } from '../page/current_notebook';

/** Longest wait for a session's snapshot. */
const SNAPSHOT_MS = 3_000;

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

  /** Focuses a waiting request: in its cell if the notebook is open, else in the panel. */
  async goTo(): Promise<void> {
    const waiting = (this.#client.sessions ?? []).filter(session => session.waiting > 0);
    const here = waiting.find(session => session.notebook_path === this.#notebook.path);
    const sessionId = (here ?? waiting[0])?.session_id;
    if (sessionId === undefined) {
      return;
    }
    const following = this.#client.follow(sessionId);
    try {
      await hasSnapshot(following.store);
      const origin = originOfPending(following.store);
      const open = origin !== null && this.#notebook.find(origin.notebook_path) !== null;
      const cell = open ? await revealCell(this.#app, this.#notebook, origin) : null;
      await focusRequest(cell ?? (await this.#openSession(sessionId)));
    } finally {
      following.dispose();
    }
  }
}

function originOfPending({ view }: SessionStore): Origin | null {
  for (const item of view.items.values()) {
    if (pendingRequest(item) !== null) {
      return view.turns.get(item.turn_id ?? '')?.origin ?? null;
    }
  }
  return null;
}

async function hasSnapshot(store: SessionStore): Promise<void> {
  if (store.view.seq !== null) {
    return;
  }
  await new Promise<void>(resolve => {
    const timer = setTimeout(done, SNAPSHOT_MS);
    const stop = store.subscribe(() => {
      if (store.view.seq !== null) {
        done();
      }
    });
    function done() {
      clearTimeout(timer);
      stop();
      resolve();
    }
  });
}

/** Focuses the group, not a button: Enter must not allow by accident. */
async function focusRequest(root: HTMLElement): Promise<void> {
  await new Promise(resolve => requestAnimationFrame(resolve));
  const newest = [...root.querySelectorAll<HTMLElement>('[data-request]')].pop();
  newest?.focus({ preventScroll: true });
  newest?.scrollIntoView({ block: 'nearest' });
}
