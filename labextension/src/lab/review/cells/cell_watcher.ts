import type { NotebookPanel } from '@jupyterlab/notebook';
import { Token } from '@lumino/coreutils';

import type { CellStep } from './changed_cells';

/** Watches what agents change in the cells of an open notebook. */
export interface CellWatcher {
  /** The notebook, or the changes of agents, are different. */
  update(steps: readonly CellStep[]): void;
  dispose(): void;
}

export interface IAcpCellReview {
  /** Watches each notebook from the first change by an agent on. */
  watch(make: (panel: NotebookPanel) => Promise<CellWatcher>): void;
}

export const IAcpCellReview = new Token<IAcpCellReview>(
  'acp-jupyter:IAcpCellReview',
  'The review of what agents changed, at the cells of open notebooks.',
);
