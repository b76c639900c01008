import { JSONExt } from '@lumino/coreutils';
import type { ReadonlyPartialJSONValue } from '@lumino/coreutils';

import type { SavedOutput } from '../../wire/results';
import { isPromptCell } from '../page/answer_cells';
import { claimsOf, snapshotOf } from './mime';

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

/** State of a document since it was opened. */
export interface Memory {
  /** Turns whose output was in the document; if one is missing now, the user removed it. */
  readonly seen: ReadonlySet<string>;
  /** Turns that were seen before their end, and whose end was never in the document. */
  readonly watched: ReadonlySet<string>;
  /** Turns about which the user was notified. */
  readonly asked: ReadonlySet<string>;
  /** Turns whose output the user wants in the cell although its source has changed. */
  readonly accepted: ReadonlySet<string>;
  /** The newest turn of each cell, of all turns that the server ever reported. */
  readonly newest: ReadonlyMap<string, TurnOfCell>;
  /** When the file was last written before it was loaded here, seconds since the epoch. */
  readonly savedAt: number | null;
}

export interface TurnOfCell {
  readonly turnId: string;
  readonly queuedAt: number;
}

/** A change of the document, or a notification of the user. */
export type Action =
  | { readonly kind: 'replace'; readonly saved: SavedOutput; readonly index: number }
  /** Appends; `drop` are indexes of outputs of earlier turns, which a new run would have cleared. */
  | { readonly kind: 'insert'; readonly saved: SavedOutput; readonly drop: readonly number[] }
  | { readonly kind: 'remove'; readonly saved: SavedOutput; readonly index: number }
  | { readonly kind: 'confirm_insert'; readonly saved: SavedOutput }
  | { readonly kind: 'report_gone'; readonly saved: SavedOutput }
  /** The kernel's own output is still to come: plan again when the cell changes. */
  | { readonly kind: 'wait'; readonly saved: SavedOutput };

/**
 * Plans the changes that bring a document's outputs up to date with its turns.
 *
 * - An existing output is replaced by the saved one once the turn is done, or now
 *   if it has no turn MIME type (a widget view does not outlive its kernel).
 * - Only the newest turn of a cell is inserted: running the cell again cleared
 *   older ones.
 * - A missing output is inserted only if the user can't have removed it: it was
 *   not here before, and the turn is not done, or ended after the file was last written.
 * - If the cell's source has changed the user is asked first.
 * - If a turn is twice in a cell (inserted, then displayed) one is removed.
 */
export function planOutputs(
  cells: ReadonlyMap<string, CellState>,
  savedOutputs: readonly SavedOutput[],
  memory: Memory,
): Action[] {
  const newest = newestTurns(savedOutputs, memory.newest);
  return savedOutputs.flatMap(saved => {
    const cell = cells.get(saved.cell_id);
    const isNewest = newest.get(saved.cell_id)?.turnId === saved.turn_id;
    if (cell === undefined) {
      const wasTold = memory.asked.has(saved.turn_id);
      const news = isNewest && saved.done && memory.watched.has(saved.turn_id) && !wasTold;
      return news ? [{ kind: 'report_gone', saved } as const] : [];
    }
    const indexes = indexesOf(cell, saved);
    const [index, ...others] = indexes;
    if (index === undefined) {
      return isNewest ? planMissing(cell, saved, memory) : [];
    }
    return [
      ...[...others].reverse().map(other => ({ kind: 'remove', saved, index: other }) as const),
      ...planPresent(cell, saved, index, memory),
    ];
  });
}

/** How much of a turn is in a document. */
export type Standing = 'absent' | 'shown' | 'final';

export function standing(cell: CellState | undefined, saved: SavedOutput): Standing {
  const index = cell === undefined ? undefined : indexesOf(cell, saved)[0];
  const output = index === undefined ? undefined : cell?.outputs[index];
  if (output === undefined) {
    return 'absent';
  }
  return saved.done && sameOutput(output, saved) ? 'final' : 'shown';
}

function planPresent(cell: CellState, saved: SavedOutput, index: number, memory: Memory): Action[] {
  const output = cell.outputs[index];
  if (output === undefined || sameOutput(output, saved)) {
    return [];
  }
  const isPointer = snapshotOf(output) !== null;
  if (!saved.done && (isPointer || cell.running)) {
    return [];
  }
  return guarded(cell, saved, memory, { kind: 'replace', saved, index });
}

function planMissing(cell: CellState, saved: SavedOutput, memory: Memory): Action[] {
  // Only outputs of the cell magic are inserted; Python code places its own.
  if (!isPromptCell(saved.source) || CAPTURED.test(saved.source)) {
    return [];
  }
  if (cell.running) {
    return [{ kind: 'wait', saved }];
  }
  const removed = memory.seen.has(saved.turn_id);
  const { ended_at: ended } = saved;
  const known = saved.done && ended !== null && memory.savedAt !== null && ended <= memory.savedAt;
  if (removed || known) {
    return [];
  }
  const drop = cell.outputs.flatMap((output, index) =>
    claimsOf(output).length === 0 && snapshotOf(output) === null ? [] : [index],
  );
  return guarded(cell, saved, memory, { kind: 'insert', saved, drop });
}

/** `%%capture`: the user wants the output in a variable, or not at all. */
const CAPTURED = /^\s*(?:%%(?!acp\b)\S.*\n\s*)*?%%capture\b/;

/** The action, or a question to the user if the cell's source has changed since. */
function guarded(cell: CellState, saved: SavedOutput, memory: Memory, action: Action): Action[] {
  if (cell.source === saved.source || memory.accepted.has(saved.turn_id)) {
    return [action];
  }
  return memory.asked.has(saved.turn_id) || !saved.done ? [] : [{ kind: 'confirm_insert', saved }];
}

function indexesOf(cell: CellState, saved: SavedOutput): number[] {
  const claimed = cell.outputs.flatMap((output, index) =>
    claimsOf(output).includes(saved.turn_id) ? [index] : [],
  );
  if (claimed.length > 0 || Object.keys(saved.bundle.metadata).length > 0) {
    return claimed;
  }
  // A replayed turn has no id in the file, so that another run changes nothing.
  const same = cell.outputs.findIndex(output => sameOutput(output, saved));
  return same < 0 ? [] : [same];
}

function sameOutput(output: OutputState, saved: SavedOutput): boolean {
  return (
    JSONExt.deepEqual(output.data ?? null, saved.bundle.data) &&
    // After a merge it may name turns of several branches.
    (claimsOf(output).length > 1 || JSONExt.deepEqual(output.metadata ?? {}, saved.bundle.metadata))
  );
}

function newestTurns(
  savedOutputs: readonly SavedOutput[],
  former: ReadonlyMap<string, TurnOfCell>,
): Map<string, TurnOfCell> {
  const newest = new Map(former);
  for (const { cell_id: cellId, turn_id: turnId, queued_at: at } of savedOutputs) {
    const queuedAt = at ?? 0;
    if (queuedAt >= (newest.get(cellId)?.queuedAt ?? 0)) {
      newest.set(cellId, { turnId, queuedAt });
    }
  }
  return newest;
}

/** The memory of an `OutputSaver`. */
export class OutputMemory implements Memory {
  readonly seen = new Set<string>();
  readonly watched = new Set<string>();
  readonly asked = new Set<string>();
  readonly accepted = new Set<string>();
  newest: ReadonlyMap<string, TurnOfCell> = new Map();
  readonly #standings = new Map<string, Standing>();

  constructor(public savedAt: number | null) {}

  isShown(turnId: string): boolean {
    return (this.#standings.get(turnId) ?? 'absent') !== 'absent';
  }

  /** Notes the existing turns. */
  learn(savedOutputs: readonly SavedOutput[]): void {
    this.newest = newestTurns(savedOutputs, this.newest);
  }

  /** Whether a turn has ended, and the document has all of it that it should have. */
  isSettled(cell: CellState | undefined, saved: SavedOutput): boolean {
    const open = this.asked.has(saved.turn_id) || cell?.running === true;
    return saved.done && !open;
  }

  /** Notes how much of each turn is in the document; returns the states that were newly reached. */
  note(cells: ReadonlyMap<string, CellState>, savedOutputs: readonly SavedOutput[]): Set<Standing> {
    const raised = new Set<Standing>();
    for (const saved of savedOutputs) {
      const { turn_id: turnId } = saved;
      const reached = standing(cells.get(saved.cell_id), saved);
      if (reached !== 'absent') {
        this.seen.add(turnId);
        if (reached !== this.#standings.get(turnId)) {
          raised.add(reached);
        }
      }
      this.#standings.set(turnId, reached);
      if (!saved.done) {
        this.watched.add(turnId);
      } else if (reached === 'final') {
        this.watched.delete(turnId);
      }
    }
    return raised;
  }
}

/** Whether the action changes the document. */
export function changes({ kind }: Action): boolean {
  return kind === 'insert' || kind === 'replace' || kind === 'remove';
}
