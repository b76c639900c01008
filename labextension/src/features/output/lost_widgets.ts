import type { ICodeCellModel } from '@jupyterlab/cells';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';

import type { Client } from '../../delivery/client';
import { isRecord, text } from '../../wire/read';
import { claimsOf } from './mime';
import { allCodeCells, outputOf } from './notebook_file';

const VIEW_MIME = 'application/vnd.jupyter.widget-view+json';

const COMM_TARGET = 'jupyter.widget';

/** A turn's widget in an output that was loaded with the file. */
interface SavedView {
  readonly cell: ICodeCellModel;
  readonly index: number;
  readonly turnId: string;
  readonly modelId: string;
}

/**
 * Puts saved turns where a notebook was saved with their widgets, and the kernel has none of them
 * any more: they would read "model not found".
 *
 * Only turns that the server has for this notebook are put in. Resolves to whether any was.
 */
export async function replaceLostWidgets(
  client: Client,
  context: DocumentRegistry.IContext<INotebookModel>,
): Promise<boolean> {
  const views = savedViews(context.model);
  if (views.length === 0) {
    return false;
  }
  await context.sessionContext.ready;
  const alive = await models(context);
  const lost = views.filter(({ modelId }) => !alive.has(modelId));
  if (lost.length === 0 || context.isDisposed) {
    return false;
  }
  await opened(client);
  const saved = await client.savedOutputs(context.localPath);
  const byTurn = new Map(saved.filter(({ done }) => done).map(each => [each.turn_id, each]));
  let replaced = false;
  for (const { cell, index, turnId, modelId } of lost) {
    const found = byTurn.get(turnId);
    const isThere = !cell.isDisposed && viewOf(cell, index)?.modelId === modelId;
    if (found !== undefined && isThere) {
      cell.outputs.set(index, outputOf(found));
      replaced = true;
    }
  }
  return replaced;
}

function savedViews(model: INotebookModel): SavedView[] {
  return allCodeCells(model).flatMap(cell =>
    cell.outputs.toJSON().flatMap((_, index) => viewOf(cell, index) ?? []),
  );
}

function viewOf(cell: ICodeCellModel, index: number): SavedView | null {
  if (index >= cell.outputs.length) {
    return null;
  }
  const { data, metadata } = cell.outputs.get(index).toJSON();
  const view = isRecord(data) ? data[VIEW_MIME] : undefined;
  const [turnId] = claimsOf({ data, metadata });
  return isRecord(view) && turnId !== undefined
    ? { cell, index, turnId, modelId: text(view, 'model_id') }
    : null;
}

/** Ids of the widgets that the kernel has; none where there is no kernel. */
async function models({
  sessionContext,
}: DocumentRegistry.IContext<INotebookModel>): Promise<ReadonlySet<string>> {
  const kernel = sessionContext.session?.kernel ?? null;
  if (kernel === null) {
    return new Set();
  }
  const { content } = await kernel.requestCommInfo({ target_name: COMM_TARGET });
  return new Set(content.status === 'ok' ? Object.keys(content.comms) : []);
}

async function opened(client: Client): Promise<void> {
  if (client.connection.state !== 'open') {
    await new Promise<void>(resolve => {
      const stop = client.connectionChanged.add(({ state }) => {
        if (state === 'open') {
          stop();
          resolve();
        }
      });
    });
  }
}
