import type { JupyterFrontEnd } from '@jupyterlab/application';
import { CodeCell } from '@jupyterlab/cells';
import type { Cell } from '@jupyterlab/cells';
import { NotebookActions } from '@jupyterlab/notebook';
import type { INotebookTracker, Notebook, NotebookPanel } from '@jupyterlab/notebook';

import type { Origin, TurnState } from '../../wire/types';
import { OPEN_SESSION } from './ids';

/** The notebook that the user works in, if there is one. */
export class CurrentNotebook {
  readonly #tracker: INotebookTracker | null;

  constructor(tracker: INotebookTracker | null) {
    this.#tracker = tracker;
  }

  get panel(): NotebookPanel | null {
    return this.#tracker?.currentWidget ?? null;
  }

  /** Its path on the server, or an empty text. */
  get path(): string {
    return this.panel?.context.localPath ?? '';
  }

  onChange(listener: () => void): void {
    this.#tracker?.currentChanged.connect(listener);
  }

  /** Calls back when another cell or notebook becomes active; returns a function that stops it. */
  onActiveCell(listener: () => void): () => void {
    const tracker = this.#tracker;
    tracker?.activeCellChanged.connect(listener);
    tracker?.currentChanged.connect(listener);
    return () => {
      tracker?.activeCellChanged.disconnect(listener);
      tracker?.currentChanged.disconnect(listener);
    };
  }

  /** The open notebook that an element is in. */
  around(node: Node | null): NotebookPanel | null {
    return this.#tracker?.find(panel => panel.node.contains(node)) ?? null;
  }

  /** An open notebook. */
  find(path: string): NotebookPanel | null {
    return this.#tracker?.find(({ context }) => context.localPath === path) ?? null;
  }
}

/** Opens the notebook of a prompt at its cell; resolves to the cell's element. */
export async function revealCell(
  app: JupyterFrontEnd,
  notebook: CurrentNotebook,
  origin: Origin,
): Promise<HTMLElement | null> {
  if (notebook.find(origin.notebook_path) === null) {
    await app.commands.execute('docmanager:open', { path: origin.notebook_path });
  }
  const panel = notebook.find(origin.notebook_path);
  if (panel === null) {
    return null;
  }
  await panel.context.ready;
  // Activating it would move the focus, which some callers give back later.
  if (!panel.isVisible) {
    app.shell.activateById(panel.id);
  }
  return scrollToCell(panel, origin.cell_id);
}

/** Scrolls an open notebook to a cell; resolves to the cell's element. */
export async function scrollToCell(
  { content }: NotebookPanel,
  cellId: string,
): Promise<HTMLElement | null> {
  const index = content.widgets.findIndex(cell => cell.model.id === cellId);
  const cell = content.widgets[index];
  if (cell === undefined) {
    return null;
  }
  expand(content, cell);
  await content.scrollToItem(index);
  await cell.ready;
  return cell.node;
}

/** Expands a cell if its output, or the heading above it, is collapsed. */
function expand(notebook: Notebook, cell: Cell): void {
  if (cell.isHidden) {
    NotebookActions.expandParent(cell, notebook);
  }
  if (cell instanceof CodeCell && cell.outputHidden) {
    cell.outputHidden = false;
  }
}

/** Number of a cell in its notebook, from 1; `null` if that is not open. */
export function cellNumber(notebook: CurrentNotebook, origin: Origin): number | null {
  const cells = notebook.find(origin.notebook_path)?.content.widgets ?? [];
  const index = cells.findIndex(cell => cell.model.id === origin.cell_id);
  return index < 0 ? null : index + 1;
}

/** Shows the cell of a turn; without one, the turn in the panel. */
export async function goToTurn(
  app: JupyterFrontEnd,
  notebook: CurrentNotebook,
  { session_id: sessionId, turn_id: turnId, origin }: TurnState,
): Promise<void> {
  const isOfCell = origin !== null && origin.cell_id !== '';
  // The notebook may be closed by now.
  const cell = isOfCell ? await revealCell(app, notebook, origin).catch(() => null) : null;
  if (cell === null) {
    await app.commands.execute(OPEN_SESSION, { sessionId, turnId });
  } else {
    // Makes it the active cell.
    cell.focus({ preventScroll: true });
  }
}
