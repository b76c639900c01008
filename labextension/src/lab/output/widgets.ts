import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';

import { openWidgetViews } from '../../widget/widget_views';
import { exposeToWidgets } from '../../widget/page_code';
import { IAcpClient } from '../page/client';
import { mountPart } from '../page/lazy_views';

/** Draws widgets of turns and sessions with the page's own code, not the kernel's. */
export const widgetsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:widgets',
  description: "Draws the widgets of turns and sessions with the page's own code.",
  autoStart: true,
  requires: [IAcpClient],
  activate: (_app: JupyterFrontEnd, client: IAcpClient) => {
    exposeToWidgets(model =>
      openWidgetViews(model, {
        client: () => client,
        mountPart,
        // Text is only needed if a kernel had the turn; here the server has it.
        mountWords: (place, words) => place.append(words),
      }),
    );
  },
};
