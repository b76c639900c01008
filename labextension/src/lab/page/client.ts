import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { PageConfig, URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';
import { Token } from '@lumino/coreutils';

import { Client } from '../../delivery/client';
import { KEY_OPTION, takePageKey } from '../../delivery/page_key';
import { PageTransport } from '../../delivery/transport';
import type { ServerAccess } from '../../delivery/transport';

export type IAcpClient = Client;

export const IAcpClient = new Token<IAcpClient>(
  'acp-jupyter:IAcpClient',
  'The one connection of the page to its agents: sessions, turns, commands.',
);

/** Makes the page's client. */
export const clientPlugin: JupyterFrontEndPlugin<IAcpClient> = {
  id: 'acp-jupyter:client',
  description: 'Connects the page to the agents of the Jupyter server.',
  autoStart: true,
  provides: IAcpClient,
  activate: (app: JupyterFrontEnd) => {
    const key = takePageKey();
    PageConfig.setOption(KEY_OPTION, '');
    return new Client(new PageTransport(labAccess(app.serviceManager.serverSettings), key));
  },
};

/** Access with JupyterLab's connection settings, token and XSRF included. */
export function labAccess(settings: ServerConnection.ISettings): ServerAccess {
  return {
    openSocket: path => {
      const url = new URL(URLExt.join(settings.wsUrl, path), location.href);
      if (settings.appendToken && settings.token) {
        url.searchParams.set('token', settings.token);
      }
      return new settings.WebSocket(url);
    },
    get: path =>
      ServerConnection.makeRequest(
        URLExt.join(settings.baseUrl, path),
        { method: 'GET' },
        settings,
      ),
  };
}
