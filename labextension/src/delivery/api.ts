import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';

import type { ServerAccess } from './page';

/** Access over JupyterLab's own connection settings, token and XSRF included. */
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
