import type { Client } from '../../delivery/client';
import type { TurnState } from '../../wire/types';
import { within } from '../page/within';
import type { OpenDocument } from './open_document';

/** Interval of checks while an agent works; otherwise JupyterLab would ask at each save. */
const PAUSE_MS = 2_000;

const SOON_MS = 100;

/** Most open documents that are checked. */
const MAX_DOCUMENTS = 50;

/** Longest wait for one document, as its save may ask the user something. */
const MAX_WAIT_MS = 3_000;

type Turns = Pick<Client, 'turnsChanged' | 'sessionsChanged' | 'sessions' | 'follow'>;

type Document = Pick<OpenDocument, 'takeIn'>;

/**
 * Merges what agents change or revert on disk into open documents.
 *
 * Otherwise JupyterLab would show the old text, and ask only when the user saves over the new one.
 */
export class StaleDocuments {
  readonly #client: Turns;
  readonly #documents: () => readonly Document[];
  /** Documents that are being checked. */
  readonly #waiting = new WeakSet<Document>();
  /** What each turn had changed, by session and turn. */
  readonly #known = new Map<string, Map<string, string>>();
  #working = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #checking = false;
  #again = false;

  constructor(client: Turns, documents: () => readonly Document[]) {
    this.#client = client;
    this.#documents = documents;
    client.turnsChanged.add(sessionId => this.#turnsChanged(sessionId));
    client.sessionsChanged.add(() => this.#sessionsChanged());
  }

  /** Checks documents when a turn has changed files, or when the user has reverted some. */
  #turnsChanged(sessionId: string): void {
    const following = this.#client.follow(sessionId);
    const { view } = following.store;
    following.dispose();
    const before = this.#known.get(sessionId);
    const now = new Map([...view.turns.values()].map(turn => [turn.turn_id, standing(turn)]));
    this.#known.set(sessionId, now);
    // At the first call, nothing has changed since the page was loaded.
    if (before !== undefined && [...now].some(([id, files]) => (before.get(id) ?? '') !== files)) {
      void this.#check();
    }
  }

  #sessionsChanged(): void {
    this.#working = (this.#client.sessions ?? []).some(
      ({ status }) => status === 'running' || status === 'requires_action',
    );
    // A short turn is over by the time it is in the list.
    this.#timer ??= setTimeout(() => void this.#check(), SOON_MS);
  }

  async #check(): Promise<void> {
    this.#again = true;
    if (this.#checking) {
      return;
    }
    this.#checking = true;
    while (this.#again) {
      this.#again = false;
      for (const document of this.#documents().slice(0, MAX_DOCUMENTS)) {
        await this.#takeIn(document);
      }
    }
    this.#checking = false;
    clearTimeout(this.#timer);
    this.#timer = this.#working ? setTimeout(() => void this.#check(), PAUSE_MS) : undefined;
  }

  async #takeIn(document: Document): Promise<void> {
    if (this.#waiting.has(document)) {
      return;
    }
    this.#waiting.add(document);
    const done = document
      .takeIn()
      .catch((error: unknown) => console.warn(error))
      .finally(() => this.#waiting.delete(document));
    await within(done, MAX_WAIT_MS);
  }
}

function standing({ changes }: TurnState): string {
  const files = changes?.files ?? [];
  return JSON.stringify(
    files.length === 0 ? '' : files.map(each => [each.path, each.reverted, each.reverted_hunks]),
  );
}
