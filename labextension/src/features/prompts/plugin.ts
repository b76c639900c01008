import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import type { Translate } from '../../views';
import { addToViews } from '../../lab/page/additions';
import { IAcpClient } from '../../lab/page/client';
import { CurrentNotebook } from '../../lab/page/current_notebook';

/** Completes the saved prompts of a folder, and asks for their arguments. */
export const promptsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:prompts',
  description: 'Offers the saved prompts of a folder after a slash.',
  autoStart: true,
  requires: [IAcpClient, INotebookTracker],
  optional: [ITranslator],
  activate: (
    _app: JupyterFrontEnd,
    client: IAcpClient,
    notebooks: INotebookTracker,
    translator: ITranslator | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const t: Translate = (text, ...values) => trans.__(text, ...values);
    const notebook = new CurrentNotebook(notebooks);
    addToViews(async () => {
      const { savedPrompts } = await import(/* webpackChunkName: "views" */ './saved_prompts');
      return savedPrompts(async sessionId => {
        const place = { session_id: sessionId, notebook_path: notebook.path };
        return (await client.run({ name: 'list_prompts', ...place })).prompts;
      }, t);
    });
  },
};
