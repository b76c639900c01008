import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Token } from '@lumino/coreutils';

import { labAccess } from '../delivery/api';
import { Client } from '../delivery/client';
import { PageTransport } from '../delivery/page';
import { shareClient } from '../delivery/shared';

export type IAcpClient = Client;
export const IAcpClient = new Token<IAcpClient>(
  'acp-jupyter:IAcpClient',
  'The one connection of the page to its agents: sessions, turns, commands.',
);

/** Makes the page's client, and shows it to widgets of the same page. */
export const clientPlugin: JupyterFrontEndPlugin<IAcpClient> = {
  id: 'acp-jupyter:client',
  description: 'Connects the page to the agents of the Jupyter server.',
  autoStart: true,
  provides: IAcpClient,
  activate: (app: JupyterFrontEnd) => {
    const client = new Client(new PageTransport(labAccess(app.serviceManager.serverSettings)));
    shareClient(client);
    return client;
  },
};
