import type { ChangedFile } from '../../wire/types';
import type { RevertChoice } from '../actions';
import { hunkKey, isAmong, type DiffHunk } from '../items/diff_hunks';
import { useScene } from '../parts/scene';
import type { Decision } from './decide';
import { useKept, WHOLE } from './kept';

/** How a file, or a change in it, stands, and how to decide on it. */
export interface Decided {
  readonly decision: Decision;
  readonly keep: (kept: boolean) => void;
  readonly revert: ((undo: boolean) => Promise<void>) | undefined;
  /** Whether Undo stands here; not at a change of a file that was decided on as a whole. */
  readonly canUndo: boolean;
}

interface Target {
  readonly turnId: string;
  /** Turns before it whose changes of the file go with its own. */
  readonly earlier?: readonly string[];
  /** What it is remembered by that it is kept, if not by the turn. */
  readonly marked?: string;
  readonly file: ChangedFile;
  /** Whether the turn's changes can be taken back. */
  readonly revertible: boolean;
}

/** Of a whole file, or with a hunk of that change. */
export function useDecisions(target: Target): (hunk?: DiffHunk) => Decided {
  const { turnId, earlier, file, revertible, marked = turnId } = target;
  const { actions } = useScene();
  const { isKept, setKept } = useKept();
  const revertTurn = revertible && file.kept ? actions?.revertTurn : undefined;
  const decided = (decision: Decision, change: string, choice: RevertChoice): Decided => ({
    decision,
    keep: kept => setKept(marked, file.path, change, kept),
    revert:
      revertTurn &&
      (undo =>
        revertTurn(turnId, { ...choice, ...(undo && { undo }), ...(earlier && { earlier }) })),
    canUndo: decision === 'kept' || (decision === 'reverted' && revertTurn !== undefined),
  });
  return hunk => {
    if (hunk === undefined) {
      return decided(decisionOf(file, isKept(marked, file.path, WHOLE)), WHOLE, {
        paths: [file.path],
      });
    }
    const whole = decisionOf(file, isKept(marked, file.path, WHOLE));
    const change = hunkKey(hunk.range);
    const reverted = isAmong(hunk.range, file.reverted_hunks);
    const kept = isKept(marked, file.path, change);
    const own = decided(reverted ? 'reverted' : kept ? 'kept' : 'open', change, {
      hunks: { path: file.path, hunks: [hunk.range] },
    });
    return whole === 'reverted' || (whole === 'kept' && own.decision !== 'reverted')
      ? { ...own, decision: whole, canUndo: false }
      : own;
  };
}

export function decisionOf(file: ChangedFile, kept: boolean): Decision {
  return file.reverted ? 'reverted' : kept ? 'kept' : 'open';
}

/** Whether single changes of a file can be decided on; else it goes as a whole. */
export function hasParts(file: ChangedFile): boolean {
  return file.change === 'modified' && !file.binary;
}
