import { CodeCell } from '@jupyterlab/cells';
import type { ICodeCellModel } from '@jupyterlab/cells';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { IDisposable } from '@lumino/disposable';

import type { Client } from '../../delivery/client';
import { Failure } from '../../delivery/failure';
import { isRecord, text } from '../../wire/read';
import { claimsOf } from './mime';
import type { NotebookFile } from './notebook_file';

const VIEW_MIME = 'application/vnd.jupyter.widget-view+json';

/**
 * Key of a cell's metadata: the turns that each widget of its outputs showed when it was saved, and
 * whether each had ended. The server gives such an output the turns' text
 * (`acp_jupyter/server/finished_outputs.py`).
 */
const SHOWN_KEY = 'acp_shown';

/** Number of a widget's turns that are kept: the newest. */
const MAX_TURNS = 10;

/** Id of the widget's model in an output; `null` without a widget. */
export function modelIdOf(data: unknown): string | null {
  const view = isRecord(data) ? data[VIEW_MIME] : undefined;
  return isRecord(view) ? text(view, 'model_id') : null;
}

/** The turns that a widget showed when its cell was saved, in any layout. */
export function notedTurns(cell: ICodeCellModel, modelId: string): readonly string[] {
  const noted: unknown = cell.getMetadata(SHOWN_KEY);
  const turns = isRecord(noted) ? noted[modelId] : undefined;
  return isRecord(turns) ? Object.keys(turns).slice(0, MAX_TURNS) : [];
}

/** Delay after the beginning or end of a turn before its views are looked for. */
const SETTLED_MS = 2_000;

/**
 * Notes at each cell of a notebook which turns its widgets show, in layouts and `Output`, too.
 *
 * An output names only its widget, which is gone with the kernel. The outputs themselves don't
 * change, since a change would draw their widget again.
 */
export class ShownTurns implements IDisposable {
  readonly #client: Client;
  readonly #panel: NotebookPanel;
  readonly #file: NotebookFile;
  readonly #stop: () => void;
  readonly #done = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(client: Client, panel: NotebookPanel, file: NotebookFile) {
    this.#client = client;
    this.#panel = panel;
    this.#file = file;
    this.#stop = client.turnsChanged.add(() => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#look(), SETTLED_MS);
    });
    panel.context.saveState.connect(this.#onSave, this);
  }

  get isDisposed(): boolean {
    return this.#panel.isDisposed;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#stop();
  }

  #onSave(_: unknown, state: DocumentRegistry.SaveState): void {
    if (state === 'started') {
      this.#note();
    }
  }

  /** Learns which of the drawn turns have ended, and saves what is new. */
  async #look(): Promise<void> {
    const drawn = this.#cells().flatMap(({ outputArea }) => drawnTurns(outputArea.node));
    const open = [...new Set(drawn)].filter(turnId => !this.#done.has(turnId));
    try {
      if (open.length > 0) {
        const { outputs: saved } = await this.#client.run({
          name: 'get_records',
          notebook_path: this.#panel.context.localPath,
          turn_ids: open,
        });
        saved.filter(({ done }) => done).forEach(({ turn_id }) => this.#done.add(turn_id));
      }
      if (this.#note()) {
        await this.#file.save();
      }
    } catch (error) {
      if (!(error instanceof Failure)) {
        throw error;
      }
      // Not connected: the next save tries again.
    }
  }

  /** Returns whether anything has changed. */
  #note(): boolean {
    return this.#cells()
      .map(cell => noteCell(cell, this.#done))
      .includes(true);
  }

  #cells(): CodeCell[] {
    const { content, isDisposed } = this.#panel;
    return isDisposed ? [] : content.widgets.filter(cell => cell instanceof CodeCell);
  }
}

function noteCell({ model, outputArea }: CodeCell, done: ReadonlySet<string>): boolean {
  const former: unknown = model.getMetadata(SHOWN_KEY);
  const shown: Record<string, Record<string, boolean>> = {};
  for (let index = 0; index < outputArea.model.length; index++) {
    const output = outputArea.model.get(index);
    const modelId = modelIdOf(output.data);
    if (modelId !== null && claimsOf(output).length === 0) {
      const drawn = drawnTurns(outputArea.widgets[index]?.node);
      // A view that is not drawn, for example without its kernel, reports nothing.
      const turnIds = drawn.length > 0 ? drawn : notedTurns(model, modelId);
      if (turnIds.length > 0) {
        shown[modelId] = Object.fromEntries(turnIds.map(turnId => [turnId, done.has(turnId)]));
      }
    }
  }
  const isEmpty = Object.keys(shown).length === 0;
  if (isEmpty ? former === undefined : JSON.stringify(former) === JSON.stringify(shown)) {
    return false;
  }
  if (isEmpty) {
    model.deleteMetadata(SHOWN_KEY);
  } else {
    model.setMetadata(SHOWN_KEY, shown);
  }
  return true;
}

function drawnTurns(node: HTMLElement | undefined): string[] {
  const drawn = [...(node?.querySelectorAll<HTMLElement>('[data-turn]') ?? [])];
  const turnIds = new Set(drawn.map(each => each.dataset.turn ?? ''));
  turnIds.delete('');
  return [...turnIds].slice(-MAX_TURNS);
}
