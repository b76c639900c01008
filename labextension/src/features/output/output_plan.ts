import { JSONExt } from '@lumino/coreutils';
import type { ReadonlyPartialJSONValue } from '@lumino/coreutils';

import type { SavedOutput } from '../../wire/results';
import { claimedTurn, snapshotOf } from './mime';

/** A code cell as the plan sees it. */
export interface CellState {
  readonly source: string;
  /** This page executes it, so the kernel's own display is still to come. */
  readonly running: boolean;
  /** Its outputs as nbformat JSON. */
  readonly outputs: readonly OutputState[];
}

export interface OutputState {
  readonly data?: ReadonlyPartialJSONValue;
  readonly metadata?: ReadonlyPartialJSONValue;
}

/** What the keeper remembers of a document since it was opened. */
export interface Memory {
  /** Turns whose output has stood in the document; if it is gone, the user took it away. */
  readonly seen: ReadonlySet<string>;
  /** Turns that were seen unfinished. */
  readonly watched: ReadonlySet<string>;
  /** Turns that the user was already asked or told about. */
  readonly asked: ReadonlySet<string>;
  /** Turns whose result the user wants under the changed source. */
  readonly accepted: ReadonlySet<string>;
  /** When the file was last written before it was loaded here, seconds since the epoch. */
  readonly savedAt: number | null;
}

/** One change to the document, or one word to the user. */
export type Action =
  | { readonly kind: 'replace'; readonly record: SavedOutput; readonly index: number }
  /** Appends; `drop` are outputs of former turns, which a new run would have cleared. */
  | { readonly kind: 'insert'; readonly record: SavedOutput; readonly drop: readonly number[] }
  | { readonly kind: 'remove'; readonly record: SavedOutput; readonly index: number }
  | { readonly kind: 'offer'; readonly record: SavedOutput }
  | { readonly kind: 'tell_gone'; readonly record: SavedOutput }
  /** The kernel's own display is still to come: look again when the cell changes. */
  | { readonly kind: 'wait'; readonly record: SavedOutput };

/** A turn of Python code is shown where that code puts it. */
const CELL_MAGIC = /^%%acp\b/m;

/**
 * What to do so that a document holds its turns.
 *
 * - An output that is there becomes the record's once the turn is done, or at
 *   once where it has no turn MIME type (a widget view does not outlive its kernel).
 * - Of a cell only the newest turn is inserted: an older one was cleared by
 *   running the cell again.
 * - A missing output is inserted only if nobody can have taken it away: it has
 *   not stood here before, and the turn is not done, or ended after the file
 *   was last written.
 * - Under another source nothing is put without asking.
 * - The same turn twice in a cell (inserted, then displayed) is one too many.
 */
export function planOutputs(
  cells: ReadonlyMap<string, CellState>,
  records: readonly SavedOutput[],
  memory: Memory,
): Action[] {
  const newest = newestOfCells(records);
  return records.flatMap(record => {
    const cell = cells.get(record.cell_id);
    if (cell === undefined) {
      const told = memory.asked.has(record.turn_id);
      const news = record.done && memory.watched.has(record.turn_id) && !told;
      return news ? [{ kind: 'tell_gone', record } as const] : [];
    }
    const places = indexesOf(cell, record.turn_id);
    const [index, ...others] = places;
    if (index === undefined) {
      return newest.get(record.cell_id) === record ? planMissing(cell, record, memory) : [];
    }
    return [
      ...[...others].reverse().map(other => ({ kind: 'remove', record, index: other }) as const),
      ...planPresent(cell, record, index, memory),
    ];
  });
}

/** How far a document is with a turn. */
export type Standing = 'absent' | 'shown' | 'final';

export function standing(cell: CellState | undefined, record: SavedOutput): Standing {
  const index = cell === undefined ? undefined : indexesOf(cell, record.turn_id)[0];
  const output = index === undefined ? undefined : cell?.outputs[index];
  if (output === undefined) {
    return 'absent';
  }
  return record.done && sameOutput(output, record) ? 'final' : 'shown';
}

function planPresent(
  cell: CellState,
  record: SavedOutput,
  index: number,
  memory: Memory,
): Action[] {
  const output = cell.outputs[index];
  if (output === undefined || sameOutput(output, record)) {
    return [];
  }
  const isPointer = snapshotOf(output.data) !== null;
  if (!record.done && (isPointer || cell.running)) {
    return [];
  }
  return guarded(cell, record, memory, { kind: 'replace', record, index });
}

function planMissing(cell: CellState, record: SavedOutput, memory: Memory): Action[] {
  if (!CELL_MAGIC.test(record.source)) {
    return [];
  }
  if (cell.running) {
    return [{ kind: 'wait', record }];
  }
  const removed = memory.seen.has(record.turn_id);
  const ended = snapshotOf(record.bundle.data)?.turn.ended_at ?? null;
  const known = record.done && ended !== null && memory.savedAt !== null && ended <= memory.savedAt;
  if (removed || known) {
    return [];
  }
  const drop = cell.outputs.flatMap((output, index) =>
    claimedTurn(output) === null ? [] : [index],
  );
  return guarded(cell, record, memory, { kind: 'insert', record, drop });
}

/** Puts nothing under a source that did not produce it, unless the user wants it there. */
function guarded(cell: CellState, record: SavedOutput, memory: Memory, action: Action): Action[] {
  if (cell.source === record.source || memory.accepted.has(record.turn_id)) {
    return [action];
  }
  return memory.asked.has(record.turn_id) || !record.done ? [] : [{ kind: 'offer', record }];
}

function indexesOf(cell: CellState, turnId: string): number[] {
  return cell.outputs.flatMap((output, index) => (claimedTurn(output) === turnId ? [index] : []));
}

function sameOutput(output: OutputState, record: SavedOutput): boolean {
  return (
    JSONExt.deepEqual(output.data ?? null, record.bundle.data) &&
    JSONExt.deepEqual(output.metadata ?? {}, record.bundle.metadata)
  );
}

function newestOfCells(records: readonly SavedOutput[]): Map<string, SavedOutput> {
  const newest = new Map<string, SavedOutput>();
  const ages = new Map<SavedOutput, number>();
  for (const record of records) {
    const age = snapshotOf(record.bundle.data)?.turn.queued_at ?? 0;
    const former = newest.get(record.cell_id);
    ages.set(record, age);
    if (former === undefined || age >= (ages.get(former) ?? 0)) {
      newest.set(record.cell_id, record);
    }
  }
  return newest;
}

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
