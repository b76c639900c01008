import { isCodeCellModel } from '@jupyterlab/cells';
import type { ICodeCellModel } from '@jupyterlab/cells';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';

import { Failure } from '../../delivery/failure';
import type { SavedOutput } from '../../wire/results';
import { openDocument } from '../documents/open_document';
import type { OpenDocument } from '../documents/open_document';
import { claimsOf, isFinal } from './mime';
import type { Action, CellState } from './output_plan';
import { isTextNotebook } from './text_notebooks';

/** A notebook's file, saved and loaded without ever asking the user. */
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

  /**
   * When the file was last written before it was loaded or saved here, in seconds since the epoch;
   * `null` if it holds no outputs.
   */
  get savedAt(): number | null {
    if (isTextNotebook(this.#context.localPath)) {
      return null;
    }
    const modified = this.#context.contentsModel?.last_modified;
    return modified === undefined ? null : Date.parse(modified) / 1000;
  }

  /**
   * Saves unsaved changes, unless that would open a dialog because the file can't be written or was
   * changed by something else.
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

  /** Loads the file if another page has written it and nothing here is unsaved or running. */
  async catchUp(): Promise<boolean> {
    const { model } = this.#context;
    return !model.dirty && !anyRunning(model) && (await this.#document.takeIn());
  }
}

/** The code cells of a notebook with these ids. */
export function codeCells(
  model: INotebookModel,
  ids: ReadonlySet<string>,
): Map<string, ICodeCellModel> {
  const found = new Map<string, ICodeCellModel>();
  for (const cell of model.cells) {
    if (ids.has(cell.id) && isCodeCellModel(cell)) {
      found.set(cell.id, cell);
    }
  }
  return found;
}

export function allCodeCells(model: INotebookModel): ICodeCellModel[] {
  return [...model.cells].filter(isCodeCellModel);
}

/** The turns that are running according to a notebook's outputs. */
export function unfinishedTurns(model: INotebookModel): string[] {
  const outputs = allCodeCells(model).flatMap(cell => cell.outputs.toJSON());
  return outputs.flatMap(({ data, metadata }) =>
    isFinal(data) ? [] : claimsOf({ data, metadata }),
  );
}

/** Whether any cell runs or waits to run here. */
export function anyRunning(model: INotebookModel): boolean {
  for (const cell of model.cells) {
    if (isCodeCellModel(cell) && cell.executionState === 'running') {
      return true;
    }
  }
  return false;
}

export function cellState(cell: ICodeCellModel): CellState {
  return {
    source: cell.sharedModel.getSource(),
    running: cell.executionState === 'running',
    outputs: cell.outputs.toJSON().map(({ data, metadata }) => ({ data, metadata })),
  };
}

/**
 * Cells whose turn ended before the kernel reported their execution count.
 *
 * Their outputs are saved by then, so only the count is left to be saved when it comes.
 */
export class Uncounted {
  readonly #cells = new Set<ICodeCellModel>();

  add(cells: readonly (ICodeCellModel | undefined)[]): void {
    for (const cell of cells) {
      if (cell !== undefined && isUncounted(cell)) {
        this.#cells.add(cell);
      }
    }
  }

  /** Whether the count of any of these cells has come. */
  get anyCounted(): boolean {
    return [...this.#cells].some(cell => !isUncounted(cell));
  }

  /** Returns the same, and forgets those cells. */
  take(): boolean {
    const counted = [...this.#cells].filter(cell => !isUncounted(cell));
    counted.forEach(cell => this.#cells.delete(cell));
    return counted.length > 0;
  }
}

function isUncounted(cell: ICodeCellModel): boolean {
  return !cell.isDisposed && cell.executionState === 'running' && cell.executionCount === null;
}

/** Carries out an action; returns whether it changed the document. */
export function applyAction(cell: ICodeCellModel, action: Action): boolean {
  switch (action.kind) {
    case 'replace':
      cell.outputs.set(action.index, outputOf(action.saved));
      return true;
    case 'insert':
      for (const index of [...action.drop].reverse()) {
        cell.outputs.remove(index);
      }
      cell.outputs.add(outputOf(action.saved));
      return true;
    case 'remove':
      cell.outputs.remove(action.index);
      return true;
    case 'confirm_insert':
    case 'report_gone':
    case 'wait':
      return false;
  }
}

export function outputOf({ bundle }: SavedOutput) {
  return { output_type: 'display_data', data: bundle.data, metadata: bundle.metadata };
}
