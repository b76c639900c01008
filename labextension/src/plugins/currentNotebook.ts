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

  /** An open notebook. */
  find(path: string): NotebookPanel | null {
    return this.#tracker?.find(({ context }) => context.localPath === path) ?? null;
  }
}
