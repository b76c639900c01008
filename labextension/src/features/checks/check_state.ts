import type { CheckedCell, CheckLine } from '../../wire/types';

/** The state of a check; `cells` are those that are done. */
export interface CheckState {
  readonly phase: 'starts' | 'runs' | 'ended' | 'cancelled' | 'failed';
  /** Number of code cells. */
  readonly all: number;
  readonly cells: readonly CheckedCell[];
  /** Number of the cell that runs. */
  readonly running: number | null;
  /** Why it failed, or did not run all cells. */
  readonly words: string;
}

export const NO_CHECK: CheckState = {
  phase: 'starts',
  all: 0,
  cells: [],
  running: null,
  words: '',
};

/** Applies a report of a check. */
export function afterLine(state: CheckState, line: CheckLine): CheckState {
  switch (line.type) {
    case 'started':
      return { ...state, phase: 'runs', all: line.cells };
    case 'running':
      return { ...state, running: line.number };
    case 'cell':
      return { ...state, cells: [...state.cells, line], running: null };
    case 'ended':
      return {
        ...state,
        phase: state.phase === 'starts' ? 'failed' : 'ended',
        running: null,
        words: line.words,
      };
  }
}
