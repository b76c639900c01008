import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';
import type { IDisposable } from '@lumino/disposable';

import type { Client } from '../../delivery/client';
import { Failure } from '../../delivery/failure';
import type { SavedOutput } from '../../wire/results';
import { orderOf, sharedOf } from '../documents/collaboration';
import { NotebookSessions } from '../page/notebook_sessions';
import { applyAction, cellState, codeCells, Uncounted, unfinishedTurns } from './notebook_file';
import type { NotebookFile } from './notebook_file';
import { changes, OutputMemory, planOutputs } from './output_plan';
import type { Action, CellState } from './output_plan';
import { afterExecutor, ExecutedTurns } from './page_locks';
import { isTextNotebook, placedIn } from './text_notebooks';
import { ChangedOutputs } from './changed_outputs';

/** Events within this time are handled together. */
const SOON_MS = 50;

/** Some agents send the end of their text after the turn has ended. */
const LATE_MS = 2_000;

/** How long each page of a shared document waits for the one before it. */
const SHARED_MS = 700;

/** Notifications of the user. */
export interface SaverNotices {
  /** The cell has changed since the turn; `insert` inserts the output anyway. */
  confirmInsert(saved: SavedOutput, insert: () => void): void;
  /** The cell was deleted; the session still has the turn. */
  reportGone(saved: SavedOutput): void;
}

/** Puts the turns of one open notebook into its cells as outputs, and saves the file. */
export class OutputSaver implements IDisposable {
  readonly #context: DocumentRegistry.IContext<INotebookModel>;
  readonly #file: NotebookFile;
  readonly #words: SaverNotices;
  readonly #stops: (() => void)[];
  readonly #executing = new ExecutedTurns();
  readonly #sessions: NotebookSessions;
  readonly #memory: OutputMemory;
  readonly #changed: ChangedOutputs;
  #savedOutputs: readonly SavedOutput[] = [];
  /** Whether a cell that runs here doesn't show its turn yet. */
  #awaiting = false;
  readonly #uncounted = new Uncounted();
  #first = true;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #busy = false;
  #again = false;
  #disposed = false;

  /** The document must be loaded. */
  constructor(
    client: Client,
    context: DocumentRegistry.IContext<INotebookModel>,
    file: NotebookFile,
    words: SaverNotices,
  ) {
    this.#context = context;
    this.#file = file;
    this.#words = words;
    this.#changed = new ChangedOutputs(client);
    this.#memory = new OutputMemory(file.savedAt);
    this.#sessions = new NotebookSessions(client, context.localPath);
    this.#stops = [
      client.connectionChanged.add(({ state }) => {
        if (state === 'open') {
          this.#schedule();
        }
      }),
      client.turnsChanged.add(sessionId => this.#turnsChanged(sessionId)),
      this.#sessions.added.add(sessionId => this.#turnsChanged(sessionId)),
    ];
    context.pathChanged.connect(this.#pathChanged, this);
    context.model.contentChanged.connect(this.#contentChanged, this);
    this.#schedule();
  }

  get isDisposed(): boolean {
    return this.#disposed;
  }

  dispose(): void {
    if (this.#disposed) {
      return;
    }
    this.#disposed = true;
    clearTimeout(this.#timer);
    for (const stop of this.#stops) {
      stop();
    }
    this.#context.pathChanged.disconnect(this.#pathChanged, this);
    this.#context.model.contentChanged.disconnect(this.#contentChanged, this);
    this.#sessions.dispose();
    this.#executing.dispose();
  }

  // -- when to update -------------------------------------------------------

  #turnsChanged(sessionId: string): void {
    if (!this.#changed.sessionIds.has(sessionId) && !this.#sessions.has(sessionId)) {
      return;
    }
    for (const { turn_id: turnId, origin } of this.#sessions.openTurns()) {
      if (this.#cell(origin?.cell_id ?? '')?.executionState === 'running') {
        this.#executing.claim(turnId);
        this.#awaiting = true;
      }
    }
    this.#schedule();
  }

  #contentChanged(): void {
    if (this.#awaiting || this.#uncounted.anyCounted) {
      this.#schedule();
    }
  }

  #pathChanged(): void {
    this.#sessions.move(this.#context.localPath);
    this.#changed.reset();
    this.#schedule();
  }

  #schedule(wait = SOON_MS): void {
    if (this.#busy) {
      this.#again = true;
    } else if (!this.#disposed) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#run(), wait);
    }
  }

  // -- what to do -----------------------------------------------------------

  async #run(): Promise<void> {
    this.#busy = true;
    let late = false;
    try {
      await this.#ask();
      late = await this.#keep();
      this.#settle();
    } catch (error) {
      // Not connected, or the file could not be saved; the next event tries again.
      if (!(error instanceof Failure)) {
        console.warn(`acp-jupyter: ${this.#context.localPath} was not brought up to date`, error);
      }
    } finally {
      this.#busy = false;
      if (this.#again) {
        this.#again = false;
        this.#schedule();
      } else if (late) {
        this.#schedule(LATE_MS);
      }
    }
  }

  async #ask(): Promise<void> {
    const { localPath, model } = this.#context;
    const unfinished = () => (this.#isGone() ? [] : unfinishedTurns(model));
    this.#again =
      (await this.#changed.fetch(localPath, this.#memory.savedAt, unfinished)) || this.#again;
    const { outputs } = this.#changed;
    this.#savedOutputs = this.#isGone() ? outputs : placedIn(this.#context, outputs);
    this.#memory.learn(this.#savedOutputs);
  }

  #settle(): void {
    const cells = this.#cells();
    const open = this.#savedOutputs.filter(
      saved => !this.#memory.isSettled(cells.get(saved.cell_id), saved),
    );
    const kept = isTextNotebook(this.#context.localPath) ? this.#savedOutputs : open;
    this.#changed.keep(new Set(kept.map(saved => saved.turn_id)));
  }

  /** Brings the outputs up to date; resolves to whether a turn has just become final. */
  async #keep(): Promise<boolean> {
    if (this.#first) {
      // Outputs that were loaded with the file are no reason to save it.
      this.#first = false;
      this.#memory.note(this.#cells(), this.#savedOutputs);
    }
    const done = this.#savedOutputs.filter(saved => saved.done);
    this.#uncounted.add(done.map(saved => this.#cell(saved.cell_id)));
    const turnIds = new Set(
      this.#plan()
        .filter(changes)
        .map(action => action.saved.turn_id),
    );
    const shared = sharedOf(this.#context.model);
    if (shared !== null && turnIds.size > 0) {
      await new Promise(resolve => setTimeout(resolve, orderOf(shared) * SHARED_MS));
    }
    for (const turnId of turnIds) {
      await this.#act(turnId);
    }
    const raised = this.#memory.note(this.#cells(), this.#savedOutputs);
    if (this.#uncounted.take() || raised.size > 0) {
      await this.#file.save();
    }
    this.#release();
    this.#tell();
    return raised.has('final');
  }

  #plan(): Action[] {
    return this.#isGone() ? [] : planOutputs(this.#cells(), this.#savedOutputs, this.#memory);
  }

  async #act(turnId: string): Promise<void> {
    const saved = this.#savedOutputs.find(({ turn_id }) => turn_id === turnId);
    const act = async () => {
      if (await this.#file.catchUp()) {
        this.#memory.savedAt = this.#file.savedAt;
      }
      await this.#apply(turnId);
    };
    if (this.#executing.has(turnId)) {
      await this.#apply(turnId);
    } else {
      await afterExecutor(turnId, saved?.done === true ? 'final' : 'shown', act);
    }
  }

  async #apply(turnId: string): Promise<void> {
    let changed = false;
    for (const action of this.#plan()) {
      const cell = this.#cell(action.saved.cell_id);
      if (action.saved.turn_id === turnId && cell !== undefined) {
        changed = applyAction(cell, action) || changed;
      }
    }
    if (changed) {
      await this.#file.save();
    }
  }

  /** Releases the locks of saved turns, and notes whether an output is still to come. */
  #release(): void {
    this.#awaiting = false;
    for (const { turn_id: turnId, done } of this.#savedOutputs) {
      const shown = this.#memory.isShown(turnId);
      if (shown || done) {
        this.#executing.release(turnId, 'shown');
      } else if (this.#executing.has(turnId)) {
        this.#awaiting = true;
      }
      if (done) {
        this.#executing.release(turnId, 'final');
      }
    }
  }

  #tell(): void {
    for (const action of this.#plan()) {
      const { saved } = action;
      switch (action.kind) {
        case 'confirm_insert':
          this.#memory.asked.add(saved.turn_id);
          this.#words.confirmInsert(saved, () => {
            this.#memory.accepted.add(saved.turn_id);
            this.#schedule();
          });
          break;
        case 'report_gone':
          this.#memory.asked.add(saved.turn_id);
          this.#words.reportGone(saved);
          break;
        case 'wait':
          this.#awaiting = true;
          break;
        case 'insert':
        case 'replace':
        case 'remove':
          break;
      }
    }
  }

  #cells(): Map<string, CellState> {
    const ids = new Set(this.#savedOutputs.map(saved => saved.cell_id));
    const cells = this.#isGone() ? [] : [...codeCells(this.#context.model, ids)];
    return new Map(cells.map(([id, cell]) => [id, cellState(cell)]));
  }

  #cell(id: string) {
    return this.#isGone() ? undefined : codeCells(this.#context.model, new Set([id])).get(id);
  }

  #isGone(): boolean {
    return this.#disposed || this.#context.isDisposed;
  }
}
