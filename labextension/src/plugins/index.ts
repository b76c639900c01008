import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { cellReviewPlugin } from './cellReview';
import { clientPlugin } from './client';
import { commandsPlugin } from './commands';
import { askPlugin } from './context/ask';
import { documentsPlugin } from './documents/index';
import { notificationsPlugin } from './notifications';
import { panelPlugin } from './panel';
import { savedOutputsPlugin } from './records';
import { rendererPlugin } from './renderer';
import { reviewPlugin } from './reviewing';
import { statusBarPlugin } from './statusBar';
import { renderingPlugin } from './rendering';

export { IAcpClient } from './client';

export const plugins: JupyterFrontEndPlugin<unknown>[] = [
  askPlugin,
  cellReviewPlugin,
  clientPlugin,
  commandsPlugin,
  documentsPlugin,
  notificationsPlugin,
  panelPlugin,
  savedOutputsPlugin,
  rendererPlugin,
  reviewPlugin,
  statusBarPlugin,
  renderingPlugin,
];
