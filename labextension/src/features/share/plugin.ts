import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { addToViews } from '../../lab/page/additions';
import { saveTranscript } from '../../lab/page/export_session';

/** How long it is said what a file contains. */
const NOTICE_MILLISECONDS = 15_000;

/** Downloads a session, or a turn, as a file that anyone can open in a browser. */
export const sharePlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:share',
  description: 'Shares sessions and turns as files.',
  autoStart: true,
  optional: [ITranslator],
  activate: (app: JupyterFrontEnd, translator: ITranslator | null) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const share = async (sessionId: string, turnId = '') => {
      const what = turnId === '' ? `shared-${sessionId.slice(0, 8)}` : `turn-${turnId.slice(0, 8)}`;
      const name = `${what}.html`;
      await saveTranscript(app, sessionId, { format: 'shared', name, turnId });
      Notification.success(
        trans.__(
          'Downloaded %1. It contains prompts, answers, diffs and the output of commands. Known secrets and the paths of this machine were removed. Read it before you send it.',
          name,
        ),
        { autoClose: NOTICE_MILLISECONDS },
      );
    };
    addToViews(async () => {
      const { sharing } = await import(/* webpackChunkName: "views" */ './share_turn');
      return sharing(share);
    });
  },
};
