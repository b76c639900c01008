import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { clientPlugin } from './client';
import { documentsPlugin } from './documents';
import { panelPlugin } from './panel';
import { recordsPlugin } from './records';
import { rendererPlugin } from './renderer';
import { renderingPlugin } from './rendering';

export { IAcpClient } from './client';

export const plugins: JupyterFrontEndPlugin<unknown>[] = [
  clientPlugin,
  documentsPlugin,
  panelPlugin,
  recordsPlugin,
  rendererPlugin,
  renderingPlugin,
];
