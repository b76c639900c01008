import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';

import { addToViews } from '../../lab/page/additions';
import { saveTranscript } from '../../lab/page/export_session';

/** Downloads a session, or a turn, as a file that anyone can open in a browser. */
export const sharePlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:share',
  description: 'Shares sessions and turns as files.',
  autoStart: true,
  activate: (app: JupyterFrontEnd) =>
    addToViews(async () => {
      const { sharing } = await import(/* webpackChunkName: "views" */ './share_turn');
      return sharing((sessionId, turnId = '') =>
        saveTranscript(app, sessionId, {
          format: 'shared',
          name: `${turnId === '' ? `shared-${sessionId.slice(0, 8)}` : `turn-${turnId.slice(0, 8)}`}.html`,
          turnId,
        }),
      );
    }),
};
