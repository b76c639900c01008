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

/** The one of a document, whoever asks first. */
export function openDocument(context: Context, contents: Contents.IManager): OpenDocument {
  const known = all.get(context) ?? new OpenDocument(context, contents);
  all.set(context, known);
  return known;
}

/** A document that agents and its user change at the same time. One thing after the other. */
export class OpenDocument {
  readonly context: Context;
  /** What of the file on disk was left out for its user to decide. */
  readonly conflicted = new Listeners<readonly Conflict[]>();
  readonly #contents: Contents.IManager;
  #merged: MergedContent | null = null;
  #overwriting: LostChanges | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  /** Waits for a save that is under way, by whomever. */
  #saving: { readonly over: Promise<void>; readonly end: () => void } | null = null;
  #loading = false;
  /** When the file of a shared document was written that holds what its page had then. */
  #comparedAt = '';
  /** Agents have been at work since it was opened. */
  #isWatched = false;

  constructor(context: Context, contents: Contents.IManager) {
    this.context = context;
    this.#contents = contents;
    context.saveState.connect((_, state) => {
      if (context.model.collaborative) {
        return; // the server saves it, and not all that is here: see `#compare`
      }
      if (state === 'started') {
        this.#merged?.noteSaving();
        this.#saving ??= pending();
      } else {
        if (state === 'completed' && this.#merged?.noteSaved() === false) {
          // JupyterLab takes for saved what came while it was saving.
          context.model.dirty = true;
        }
        this.#saving?.end();
        this.#saving = null;
      }
    });
    context.fileChanged.connect(() => {
      // Loaded anew by somebody else; after a save the model may have gone on.
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

  /** Takes in what has become of the file, if it was changed; says whether something came. */
  takeIn(): Promise<boolean> {
    return this.#next(() => this.#takeIn());
  }

  /** Makes a change, on top of what is on disk, and saves. */
  change(act: () => void): Promise<void> {
    return this.#next(async () => {
      await this.context.ready;
      await this.#takeIn();
      this.#mustBeWritable();
      act();
      await this.#save();
    });
  }

  /** Makes another text of it, whatever its user has changed since `base` beside that. */
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

  /** Saves what was changed, without ever asking the user. */
  save(): Promise<void> {
    return this.#next(async () => {
      await this.#takeIn();
      await this.#save();
    });
  }

  /** The user wants what the agent made of it. */
  accept(conflict: Conflict): void {
    this.#merged?.accept(conflict);
  }

  /** What the user has now where a conflict was; `null` where that is gone. */
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
      // What pages share is brought up to date by the server.
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
   * Learns what of a shared document is on disk: only where the file holds just what is here.
   *
   * A page does not see what the server had when it saved. What an agent has not read, it has not
   * deleted; so a version too old does no harm, and one that was never saved does.
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
      // It is compared again with the next look.
    }
  }

  #mustBeWritable(): void {
    const { contentsModel, model } = this.context;
    if (contentsModel?.writable !== true || model.readOnly) {
      throw new Failure('It may only be read.', 'not_writable');
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
    await this.#saving?.over;
    // Whatever would bring up a dialog is left to the user.
    if ((await changedOnDisk(context, this.#contents)) !== false) {
      throw new Failure('The file was changed meanwhile, or is not there.', 'not_saved');
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
