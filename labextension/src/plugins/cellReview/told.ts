import type { Client } from '../../delivery/client';
import type { ChangedCell } from './deeds';

/**
 * Tells the host what the user took back at a cell, so that it counts nowhere as open.
 *
 * The document is changed at once and by itself: the host may be away, and only remembers.
 */
export class RevertReports {
  readonly #changes: Pick<Client['changes'], 'revert'>;
  /** By cell, as long as they are not undone in the notebook. */
  readonly #told = new Map<string, ChangedCell>();

  constructor(changes: Pick<Client['changes'], 'revert'>) {
    this.#changes = changes;
  }

  tell(deed: ChangedCell): void {
    this.#told.set(deed.cellId, deed);
    void this.#send(deed, false);
  }

  /** @param isOpen - Whether a cell is again as the agent had left it. */
  look(isOpen: (deed: ChangedCell) => boolean): void {
    for (const [id, deed] of this.#told) {
      if (isOpen(deed)) {
        this.#told.delete(id);
        void this.#send(deed, true);
      }
    }
  }

  async #send({ steps }: ChangedCell, undo: boolean): Promise<void> {
    for (const { turnId, path, range } of undo ? steps : [...steps].reverse()) {
      const hunks = { path, hunks: [range] };
      await this.#changes
        .revert(turnId, { hunks, undo, inDocument: true })
        .catch((error: unknown) => console.warn(error));
    }
  }
}
