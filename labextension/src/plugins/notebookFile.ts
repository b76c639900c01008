import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';

import { anyRunning } from './notebookCells';
import { changedOnDisk } from './onDisk';

/** A notebook's file: saved and loaded without ever asking the user. */
export class NotebookFile {
  readonly #context: DocumentRegistry.IContext<INotebookModel>;
  readonly #contents: Contents.IManager;
  readonly #maySave: () => boolean;
  /** Those who wait for a save that is under way, by whomever. */
  #waiting: (() => void)[] | null = null;

  constructor(
    context: DocumentRegistry.IContext<INotebookModel>,
    contents: Contents.IManager,
    maySave: () => boolean,
  ) {
    this.#context = context;
    this.#contents = contents;
    this.#maySave = maySave;
    context.saveState.connect((_, state) => {
      const waiting = this.#waiting ?? [];
      this.#waiting = state === 'started' ? waiting : null;
      if (this.#waiting === null) {
        waiting.forEach(go => go());
      }
    });
  }

  /** When it was written last before it was loaded or saved here, seconds since the epoch. */
  get savedAt(): number | null {
    const modified = this.#context.contentsModel?.last_modified;
    return modified === undefined ? null : Date.parse(modified) / 1000;
  }

  /**
   * Saves what was changed, unless that would bring up a dialog: the file cannot
   * be written, or something else has changed it.
   */
  async save(): Promise<void> {
    // Two saves at once would each find the other's file.
    await this.#saved();
    const { model, contentsModel } = this.#context;
    const writable = contentsModel?.writable === true && !model.readOnly && !model.collaborative;
    if (!writable || !model.dirty || !this.#maySave() || (await this.#changedOnDisk()) !== false) {
      return;
    }
    await this.#context.save();
  }

  /** Loads the file if another page has written it and nothing can be lost here. */
  async catchUp(): Promise<boolean> {
    const { model } = this.#context;
    if (model.collaborative || !this.#isIdle() || (await this.#changedOnDisk()) !== true) {
      return false;
    }
    if (!this.#isIdle()) {
      return false; // the user has typed meanwhile
    }
    await this.#context.revert();
    return true;
  }

  async #saved(): Promise<void> {
    while (this.#waiting !== null) {
      const waiting = this.#waiting;
      await new Promise<void>(go => waiting.push(go));
    }
  }

  #isIdle(): boolean {
    const { model } = this.#context;
    return !model.dirty && !anyRunning(model);
  }

  #changedOnDisk(): Promise<boolean | null> {
    return changedOnDisk(this.#context, this.#contents);
  }
}
