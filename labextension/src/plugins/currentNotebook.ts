import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';

/** Which notebook the user works in; there may be none, or no notebooks at all. */
export class CurrentNotebook {
  readonly #tracker: INotebookTracker | null;

  constructor(tracker: INotebookTracker | null) {
    this.#tracker = tracker;
  }

  get panel(): NotebookPanel | null {
    return this.#tracker?.currentWidget ?? null;
  }

  /** Its path at the server, or an empty text. */
  get path(): string {
    return this.panel?.context.localPath ?? '';
  }

  onChange(listener: () => void): void {
    this.#tracker?.currentChanged.connect(listener);
  }

  /** Told when another cell or notebook is the active one; returns how to stop that. */
  onActiveCell(listener: () => void): () => void {
    const tracker = this.#tracker;
    tracker?.activeCellChanged.connect(listener);
    tracker?.currentChanged.connect(listener);
    return () => {
      tracker?.activeCellChanged.disconnect(listener);
      tracker?.currentChanged.disconnect(listener);
    };
  }

  /** An open notebook. */
  find(path: string): NotebookPanel | null {
    return this.#tracker?.find(({ context }) => context.localPath === path) ?? null;
  }
}
