import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { promptCompletionPlugin } from './context/prompt_completion';
import { documentsPlugin } from './documents/plugin';
import { rendererPlugin } from './output/renderer';
import { savedOutputsPlugin } from './output/saved_outputs';
import { widgetsPlugin } from './output/widgets';
import { clientPlugin } from './page/client';
import { promptCellsPlugin } from './page/prompt_cells';
import { askPlugin } from './panel/ask_commands';
import { commandsPlugin } from './panel/commands';
import { panelPlugin } from './panel/plugin';
import { renderingPlugin } from './rendering/plugin';
import { cellReviewPlugin } from './review/cells/plugin';
import { reviewPlugin } from './review/plugin';
import { notificationsPlugin } from './status/notifications';
import { statusBarPlugin } from './status/status_bar';

export { IAcpClient } from './page/client';

/** The plugins that every page has. */
export const core: JupyterFrontEndPlugin<unknown>[] = [
  askPlugin,
  cellReviewPlugin,
  clientPlugin,
  commandsPlugin,
  documentsPlugin,
  notificationsPlugin,
  panelPlugin,
  promptCellsPlugin,
  promptCompletionPlugin,
  savedOutputsPlugin,
  rendererPlugin,
  reviewPlugin,
  statusBarPlugin,
  renderingPlugin,
  widgetsPlugin,
];
