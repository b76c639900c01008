import type { SavedOutput } from '../wire/results';
import { standing } from './recordPlan';
import type { CellState, Memory, Standing } from './recordPlan';

/** What the keeper of a document remembers between two looks. */
export class OutputMemory implements Memory {
  readonly seen = new Set<string>();
  readonly watched = new Set<string>();
  readonly asked = new Set<string>();
  readonly accepted = new Set<string>();
  readonly #standings = new Map<string, Standing>();

  constructor(public savedAt: number | null) {}

  isShown(turnId: string): boolean {
    return (this.#standings.get(turnId) ?? 'absent') !== 'absent';
  }

  /** Takes down how far each turn is; returns what was newly reached. */
  note(cells: ReadonlyMap<string, CellState>, records: readonly SavedOutput[]): Set<Standing> {
    const raised = new Set<Standing>();
    for (const record of records) {
      const { turn_id: turnId } = record;
      const reached = standing(cells.get(record.cell_id), record);
      if (reached !== 'absent') {
        this.seen.add(turnId);
        if (reached !== this.#standings.get(turnId)) {
          raised.add(reached);
        }
      }
      this.#standings.set(turnId, reached);
      if (!record.done) {
        this.watched.add(turnId);
      }
    }
    return raised;
  }
}
