import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';

import { Failure } from '../../delivery/failure';
import { Listeners } from '../../delivery/listeners';
import { LostChanges, noteFile, saveShared, sharedOf } from './collaboration';
import { changedOnDisk, loadMerged } from './disk';
import type { Conflict, MergedContent } from './merge/merged_content';
import { MergedNotebook } from './merge/merged_notebook';
import { MergedText, sharedText } from './merge/merged_text';

type Context = DocumentRegistry.IContext<DocumentRegistry.IModel>;

const all = new WeakMap<Context, OpenDocument>();

/** The `OpenDocument` of a context, the same for all callers. */
export function openDocument(context: Context, contents: Contents.IManager): OpenDocument {
  const known = all.get(context) ?? new OpenDocument(context, contents);
  all.set(context, known);
  return known;
}

/** A document that agents and its user change at the same time; operations run one by one. */
export class OpenDocument {
  readonly context: Context;
  /** Changes of the file that were not merged and need the user's choice. */
  readonly conflicted = new Listeners<readonly Conflict[]>();
  readonly #contents: Contents.IManager;
  #merged: MergedContent | null = null;
  #overwriting: LostChanges | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  /** The running save, whoever started it. */
  #saving: { readonly over: Promise<void>; readonly end: () => void } | null = null;
  #loading = false;
  /** When the file of a shared document was written that equalled the open one. */
  #comparedAt = '';
  /** Whether an agent has worked since the document was opened. */
  #isWatched = false;

  constructor(context: Context, contents: Contents.IManager) {
    this.context = context;
    this.#contents = contents;
    context.saveState.connect((_, state) => {
      if (context.model.collaborative) {
        return; // the server saves it, perhaps not all changes here: see `#compare`
      }
      if (state === 'started') {
        this.#merged?.noteSaving();
        this.#saving ??= pending();
      } else {
        if (state === 'completed' && this.#merged?.noteSaved() === false) {
          // JupyterLab treats changes made during the save as saved.
          context.model.dirty = true;
        }
        this.#saving?.end();
        this.#saving = null;
      }
    });
    context.fileChanged.connect(() => {
      // Reverted by someone else; after a save the model may have changed again.
      const { collaborative, dirty } = context.model;
      if (this.#saving === null && !this.#loading && !dirty && !collaborative) {
        this.#merged?.noteLoaded();
      }
    });
    void context.ready.then(() => {
      if (!context.isDisposed) {
        this.#merged = this.#merging();
        this.#overwriting = this.#watching(this.#merged);
      }
    });
    context.model.stateChanged.connect(({ collaborative, dirty }) => {
      if (collaborative && !dirty && this.#isWatched) {
        void this.#next(() => this.#compare());
      }
    });
    context.disposed.connect(() => this.#overwriting?.dispose());
  }

  /** Its text as it would be on disk. */
  async read(): Promise<string> {
    await this.context.ready;
    return this.#merged?.text() ?? this.context.model.toString();
  }

  /** The notebook's model once it is loaded; `null` for any other document. */
  async notebook(): Promise<INotebookModel | null> {
    await this.context.ready;
    return this.#merged instanceof MergedNotebook ? this.#merged.model : null;
  }

  /** Merges the file if it was changed on disk; resolves to whether it had been. */
  takeIn(): Promise<boolean> {
    return this.#next(() => this.#takeIn());
  }

  /** Merges the file, makes a change and saves. */
  change(act: () => void): Promise<void> {
    return this.#next(async () => {
      await this.context.ready;
      await this.#takeIn();
      this.#mustBeWritable();
      act();
      await this.#save();
    });
  }

  /** Merges an agent's text, which is based on `base`, with the user's changes, and saves. */
  write(text: string, base: string | null, isLate: () => boolean): Promise<void> {
    return this.change(() => {
      if (isLate()) {
        throw new Failure('The page was busy for too long.', 'late');
      }
      if (this.#merged === null) {
        throw new Failure('This kind of document can’t be written to while it is open.', 'kind');
      }
      this.#merged.write(text, base);
    });
  }

  /** Saves unsaved changes; never asks the user. */
  save(): Promise<void> {
    return this.#next(async () => {
      await this.#takeIn();
      await this.#save();
    });
  }

  /** Takes the file's side of a conflict. */
  accept(conflict: Conflict): void {
    this.#merged?.accept(conflict);
  }

  /** The user's current side of a conflict; `null` if the cell no longer exists. */
  current(conflict: Conflict): string | null {
    return this.#merged?.current(conflict) ?? null;
  }

  subjectOf(conflict: Conflict): ReturnType<MergedContent['subjectOf']> {
    return this.#merged?.subjectOf(conflict) ?? 'text';
  }

  #merging(): MergedContent | null {
    const { model } = this.context;
    if (isNotebook(model)) {
      return new MergedNotebook(model);
    }
    const text = this.context.contentsModel?.format === 'text' ? sharedText(model) : null;
    return text === null ? null : new MergedText(model, text);
  }

  #watching(merged: MergedContent | null): LostChanges | null {
    const shared = sharedOf(this.context.model);
    return merged === null || shared === null
      ? null
      : new LostChanges(shared, merged, conflicts => this.conflicted.emit(conflicts));
  }

  async #takeIn(): Promise<boolean> {
    const { context } = this;
    if (context.isDisposed || !context.isReady) {
      return false;
    }
    if (context.model.collaborative) {
      // The server merges files into shared documents.
      this.#isWatched = true;
      this.#overwriting?.watch();
      await noteFile(context, this.#contents);
      await this.#compare();
      return false;
    }
    await this.#saving?.over;
    if ((await changedOnDisk(context, this.#contents)) !== true) {
      return false;
    }
    const merged = this.#merged;
    if (merged === null) {
      if (!context.model.dirty) {
        await context.revert();
      }
      return true;
    }
    this.#loading = true;
    try {
      const conflicts = await loadMerged(context, this.#contents, merged);
      if (conflicts !== null && conflicts.length > 0) {
        this.conflicted.emit(conflicts);
      }
      return conflicts !== null;
    } finally {
      this.#loading = false;
    }
  }

  /**
   * Notes the content of a shared document on disk, if the file equals the open document.
   *
   * A page does not see what the server saved. An agent can't have deleted what it has not read, so
   * a base that is too old does no harm, but one that was never saved does.
   */
  async #compare(): Promise<void> {
    const { context } = this;
    const merged = this.#merged;
    if (merged === null || context.isDisposed) {
      return;
    }
    const { type, format } = context.contentsModel ?? {};
    const which = type === undefined ? {} : { type, ...(format ? { format } : {}) };
    try {
      const { last_modified: at } = await this.#contents.get(context.path, { content: false });
      if (at === this.#comparedAt) {
        return;
      }
      const file: { readonly content: unknown; readonly last_modified: string } =
        await this.#contents.get(context.path, { content: true, ...which });
      if (merged.noteFile(file.content)) {
        this.#comparedAt = file.last_modified;
      }
    } catch {
      // It is compared again the next time.
    }
  }

  #mustBeWritable(): void {
    const { contentsModel, model } = this.context;
    if (contentsModel?.writable !== true || model.readOnly) {
      throw new Failure('It is read-only.', 'not_writable');
    }
  }

  async #save(): Promise<void> {
    const { context } = this;
    if (context.isDisposed) {
      throw new Failure('It was closed.', 'no_document');
    }
    if (!context.model.dirty) {
      return;
    }
    this.#mustBeWritable();
    if (context.model.collaborative) {
      await saveShared(context, this.#contents);
      return this.#compare();
    }
    // If another save began meanwhile, this one would open a dialog, too.
    let changed: boolean | null;
    do {
      await this.#saving?.over;
      changed = await changedOnDisk(context, this.#contents);
    } while (this.#saving !== null);
    // A save that would open a dialog is left to the user.
    if (changed !== false) {
      throw new Failure('The file has changed meanwhile, or no longer exists.', 'not_saved');
    }
    await context.save();
  }

  #next<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(act);
    this.#queue = done.catch(() => undefined);
    return done;
  }
}

function isNotebook(model: DocumentRegistry.IModel): model is INotebookModel {
  return 'cells' in model && 'deletedCells' in model;
}

function pending() {
  let end: () => void = () => undefined;
  const over = new Promise<void>(resolve => {
    end = resolve;
  });
  return { over, end: () => end() };
}
