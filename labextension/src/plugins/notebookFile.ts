import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';

import { Failure } from '../delivery/failure';
import { openDocument } from './documents/openDocument';
import type { OpenDocument } from './documents/openDocument';
import { anyRunning } from './notebookCells';

/** A notebook's file: saved and loaded without ever asking the user. */
export class NotebookFile {
  readonly #context: DocumentRegistry.IContext<INotebookModel>;
  readonly #document: OpenDocument;
  readonly #maySave: () => boolean;

  constructor(
    context: DocumentRegistry.IContext<INotebookModel>,
    contents: Contents.IManager,
    maySave: () => boolean,
  ) {
    this.#context = context;
    this.#document = openDocument(context, contents);
    this.#maySave = maySave;
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
    const { model, contentsModel } = this.#context;
    const writable = contentsModel?.writable === true && !model.readOnly && !model.collaborative;
    if (writable && model.dirty && this.#maySave()) {
      await this.#document.save().catch((error: unknown) => {
        if (!(error instanceof Failure)) {
          throw error;
        }
      });
    }
  }

  /** Loads the file if another page has written it and nothing can be lost here. */
  async catchUp(): Promise<boolean> {
    const { model } = this.#context;
    return !model.dirty && !anyRunning(model) && (await this.#document.takeIn());
  }
}
