import type { CodeCell } from '@jupyterlab/cells';

/** Shows that a cell runs, or waits to run. */
export function showRunning({ isDisposed, model }: CodeCell): void {
  if (!isDisposed) {
    model.executionState = 'running';
  }
}

/** Shows that a cell no longer runs. */
export function showIdle({ isDisposed, model }: CodeCell): void {
  if (!isDisposed && model.executionState === 'running') {
    model.executionState = 'idle';
  }
}
