import type { Actions } from '../../../views';
import type { RevertTurn } from '../../../wire/types';
import { stepsOf } from './changed_cells';
import type { CellStep, ChangedCell } from './changed_cells';

/** Wait before a failed request is repeated; doubled each time. */
const AGAIN_MS = 2_000;

const LONGEST_MS = 64_000;

type By = Parameters<typeof stepsOf>[0];

type GetChanges = NonNullable<Actions['getChanges']>;

type Revert = (command: RevertTurn) => Promise<unknown>;

/** Changes of a notebook's cells by turns, fetched once for each turn and path. */
export class FetchedSteps {
  readonly #getChanges: GetChanges;
  readonly #come: () => void;
  /** By turn and path; empty while they are fetched, or if that failed. */
  readonly #steps = new Map<string, readonly CellStep[]>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #disposed = false;

  /** @param come - Called when changes were fetched. */
  constructor(getChanges: GetChanges, come: () => void) {
    this.#getChanges = getChanges;
    this.#come = come;
  }

  dispose(): void {
    this.#disposed = true;
    this.#timers.forEach(timer => clearTimeout(timer));
  }

  of(by: By, path: string): readonly CellStep[] {
    const key = `${by.turnId} ${path}`;
    const known = this.#steps.get(key);
    if (known === undefined) {
      this.#steps.set(key, []);
      void this.#fetch(key, path, by, AGAIN_MS);
    }
    return known ?? [];
  }

  async #fetch(key: string, path: string, by: By, wait: number): Promise<void> {
    let texts;
    try {
      texts = await this.#getChanges(by.turnId, path);
    } catch {
      this.#fetchAgain(key, path, by, wait);
      return;
    }
    // Without its texts only the review of the file shows the notebook.
    if (texts !== null && !this.#disposed) {
      this.#steps.set(key, stepsOf(by, texts));
      this.#come();
    }
  }

  #fetchAgain(key: string, path: string, by: By, wait: number): void {
    if (this.#disposed || wait > LONGEST_MS) {
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#fetch(key, path, by, 2 * wait);
    }, wait);
    this.#timers.add(timer);
  }
}

/**
 * Reports to the host which cells the user reverted, so that nothing lists them as open.
 *
 * The document itself was changed already: the host only records it, and may be unreachable.
 */
export class RevertReports {
  readonly #revert: Revert;
  /** Reported reverts by cell, until they are undone in the notebook. */
  readonly #reported = new Map<string, ChangedCell>();

  constructor(revert: Revert) {
    this.#revert = revert;
  }

  report(changed: ChangedCell): void {
    this.#reported.set(changed.cellId, changed);
    void this.#send(changed, false);
  }

  /** Withdraws reports of reverts that the user has undone: `isOpen` for the cell again. */
  check(isOpen: (changed: ChangedCell) => boolean): void {
    for (const [id, changed] of this.#reported) {
      if (isOpen(changed)) {
        this.#reported.delete(id);
        void this.#send(changed, true);
      }
    }
  }

  async #send({ steps }: ChangedCell, undo: boolean): Promise<void> {
    for (const { turnId, path, range } of undo ? steps : [...steps].reverse()) {
      const hunks = [{ path, hunks: [range] }];
      await this.#revert({
        ...{ name: 'revert_turn', turn_id: turnId, hunks, undo, in_document: true },
      }).catch((error: unknown) => console.warn(error));
    }
  }
}
