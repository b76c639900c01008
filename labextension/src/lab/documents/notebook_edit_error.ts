import type { NotebookRefusal } from '../../wire/types';

/** An agent's edits were refused; none of them was made. */
export class NotebookEditError extends Error {
  readonly refusal: NotebookRefusal;

  constructor(reason: NotebookRefusal['reason'], message: string, more: Partial<NotebookRefusal>) {
    super(message);
    this.refusal = { reason, message, cell_id: '', source: null, ...more };
  }
}
