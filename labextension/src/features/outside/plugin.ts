import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { PageConfig } from '@jupyterlab/coreutils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { addToViews } from '../../lab/page/additions';
import { IAcpClient } from '../../lab/page/client';
import { CurrentNotebook } from '../../lab/page/current_notebook';
import { agentIcon } from '../../lab/page/icon';
import { PANEL_ID } from '../../lab/page/ids';
import { IAcpPanel } from '../../lab/panel/session_panel';
import type { Access } from './outside_access';

const OUTSIDE_ACCESS = 'acp-jupyter:outside-access';

/** The page of the panel. */
const PAGE = 'outside';

/** Gives agents that run elsewhere keys with which they use the tools of a notebook. */
export const outsidePlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:outside',
  description: 'Keys for agents that run elsewhere.',
  autoStart: true,
  requires: [IAcpClient, IAcpPanel],
  optional: [INotebookTracker, ICommandPalette, ITranslator],
  activate: (
    { commands, shell }: JupyterFrontEnd,
    client: IAcpClient,
    panel: IAcpPanel,
    tracker: INotebookTracker | null,
    palette: ICommandPalette | null,
    translator: ITranslator | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const notebook = new CurrentNotebook(tracker);
    addToViews(async () => {
      const { outsidePage } = await import(/* webpackChunkName: "views" */ './outside_access');
      const access: Access = {
        url: new URL(PageConfig.getBaseUrl(), location.href).href,
        notebook: () => notebook.path,
        list: () => client.run({ name: 'list_outside_keys' }),
        make: (path, policy) =>
          client.run({ name: 'make_outside_key', notebook_path: path, policy }),
        revoke: async keyId => {
          await client.run({ name: 'revoke_outside_key', key_id: keyId });
        },
      };
      return { panelPage: outsidePage(access, PAGE) };
    });
    commands.addCommand(OUTSIDE_ACCESS, {
      label: trans.__('Give an Outside Agent Access to the Notebook…'),
      caption: trans.__('Keys for agents that run elsewhere, for example in a terminal'),
      icon: agentIcon,
      execute: async () => {
        shell.activateById(PANEL_ID);
        await panel.drawn;
        panel.showPage(PAGE);
      },
    });
    palette?.addItem({ command: OUTSIDE_ACCESS, category: trans.__('Agents') });
  },
};
