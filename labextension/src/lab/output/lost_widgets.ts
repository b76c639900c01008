import type { ICodeCellModel } from '@jupyterlab/cells';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';

import type { Client } from '../../delivery/client';
import { isRecord } from '../../wire/read';
import { claimsOf } from './mime';
import { allCodeCells, outputOf } from './notebook_file';
import { modelIdOf, notedTurns } from './shown_turns';

const COMM_TARGET = 'jupyter.widget';

/** Widgets that were saved with the notebook: its metadata, and their MIME type there. */
const WIDGETS_KEY = 'widgets';

const STATE_MIME = 'application/vnd.jupyter.widget-state+json';

/** A widget in an output that was loaded with the file, and the turns that it showed. */
interface SavedView {
  readonly cell: ICodeCellModel;
  readonly modelId: string;
  readonly turnIds: readonly string[];
}

/**
 * Replaces saved widgets of turns, alone or in a layout, by the saved turns, if the kernel no
 * longer has the widgets: they would say "model not found".
 *
 * Inserts only turns that the server has for this notebook. Widgets with a state in the notebook
 * are drawn from that. Resolves to whether any was inserted.
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
  const alive = new Set([...(await models(context)), ...savedModels(context.model)]);
  const lost = views.filter(({ modelId }) => !alive.has(modelId));
  if (lost.length === 0 || context.isDisposed) {
    return false;
  }
  await opened(client);
  const wanted = [...new Set(lost.flatMap(({ turnIds }) => turnIds))];
  const { outputs: saved } = await client.run({
    name: 'get_records',
    notebook_path: context.localPath,
    turn_ids: wanted,
  });
  const byTurn = new Map(saved.filter(({ done }) => done).map(each => [each.turn_id, each]));
  let replaced = false;
  for (const { cell, modelId, turnIds } of lost) {
    const found = turnIds.flatMap(turnId => byTurn.get(turnId) ?? []);
    const index = cell.isDisposed ? -1 : indexOf(cell, modelId);
    const [first, ...others] = found;
    if (first !== undefined && index >= 0) {
      cell.outputs.set(index, outputOf(first));
      others.forEach(each => cell.outputs.add(outputOf(each)));
      replaced = true;
    }
  }
  return replaced;
}

function savedViews(model: INotebookModel): SavedView[] {
  return allCodeCells(model).flatMap(cell =>
    cell.outputs.toJSON().flatMap(({ data, metadata }): SavedView[] => {
      const modelId = modelIdOf(data);
      if (modelId === null) {
        return [];
      }
      const claimed = claimsOf({ data, metadata }).slice(0, 1);
      const turnIds = claimed.length > 0 ? claimed : notedTurns(cell, modelId);
      return turnIds.length > 0 ? [{ cell, modelId, turnIds }] : [];
    }),
  );
}

function indexOf(cell: ICodeCellModel, modelId: string): number {
  return cell.outputs.toJSON().findIndex(({ data }) => modelIdOf(data) === modelId);
}

/** Ids of the widgets whose state is in the notebook. */
function savedModels(model: INotebookModel): string[] {
  const widgets: unknown = model.getMetadata(WIDGETS_KEY);
  const saved = isRecord(widgets) ? widgets[STATE_MIME] : undefined;
  return isRecord(saved) && isRecord(saved.state) ? Object.keys(saved.state) : [];
}

/** Ids of the widgets that the kernel has; none without a kernel. */
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
