import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { checkPlugin } from './check/plugin';
import { promptCompletionPlugin } from './context/prompt_completion';
import { documentsPlugin } from './documents/plugin';
import { fixPlugin } from './fix/plugin';
import { followPlugin } from './follow/plugin';
import { historyPlugin } from './history/plugin';
import { nextCellPlugin } from './next_cell/plugin';
import { rendererPlugin } from './output/renderer';
import { savedOutputsPlugin } from './output/saved_outputs';
import { widgetsPlugin } from './output/widgets';
import { clientPlugin } from './page/client';
import { promptCellsPlugin } from './page/prompt_cells';
import { askPlugin } from './panel/ask_commands';
import { commandsPlugin } from './panel/commands';
import { panelPlugin } from './panel/plugin';
import { trafficPlugin } from './panel/traffic';
import { renderingPlugin } from './rendering/plugin';
import { cellReviewPlugin } from './review/cells/plugin';
import { reviewPlugin } from './review/plugin';
import { notificationsPlugin } from './status/notifications';
import { statusBarPlugin } from './status/status_bar';

export { IAcpClient } from './page/client';

export const plugins: JupyterFrontEndPlugin<unknown>[] = [
  askPlugin,
  cellReviewPlugin,
  checkPlugin,
  clientPlugin,
  commandsPlugin,
  documentsPlugin,
  fixPlugin,
  followPlugin,
  historyPlugin,
  nextCellPlugin,
  notificationsPlugin,
  panelPlugin,
  promptCellsPlugin,
  promptCompletionPlugin,
  savedOutputsPlugin,
  rendererPlugin,
  reviewPlugin,
  statusBarPlugin,
  trafficPlugin,
  renderingPlugin,
  widgetsPlugin,
];
