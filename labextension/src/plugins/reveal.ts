import type { JupyterFrontEnd } from '@jupyterlab/application';

import type { Origin } from '../wire/types';
import type { CurrentNotebook } from './currentNotebook';

/** Shows the cell of a prompt; resolves to its element, if it is there. */
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
  app.shell.activateById(panel.id);
  const { content } = panel;
  const index = content.widgets.findIndex(cell => cell.model.id === origin.cell_id);
  const cell = content.widgets[index];
  if (cell === undefined) {
    return null;
  }
  content.activeCellIndex = index;
  await content.scrollToCell(cell);
  await cell.ready;
  return cell.node;
}
