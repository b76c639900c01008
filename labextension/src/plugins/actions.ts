import type { JupyterFrontEnd } from '@jupyterlab/application';
import { PageConfig } from '@jupyterlab/coreutils';

import type { Client } from '../delivery/client';
import type { Actions } from '../views';
import type { SessionState } from '../wire/types';
import { serverPath } from './serverPath';

export const OPEN_SESSION = 'acp-jupyter:open-session';

/** What a turn in a cell may do. */
export function turnActions(
  app: JupyterFrontEnd,
  client: Client,
  session: () => SessionState | null,
): Actions {
  return {
    answerPermission: (sessionId, requestId, optionId) =>
      client.answerPermission(sessionId, requestId, optionId),
    cancel: (sessionId, turnId) => client.cancel(sessionId, turnId),
    openSession: sessionId => void app.commands.execute(OPEN_SESSION, { sessionId }),
    openFile: (path, line) => openFile(app, session(), path, line),
    reconnect: () => client.reconnect(),
    // Absent where the page came over plain http.
    ...('clipboard' in navigator
      ? { copy: (text: string) => navigator.clipboard.writeText(text) }
      : {}),
  };
}

/** Opens a file of a session's folder; nothing happens where the server does not show it. */
function openFile(
  app: JupyterFrontEnd,
  session: SessionState | null,
  path: string,
  line: number | null,
): void {
  const root = PageConfig.getOption('serverRoot');
  const target = session === null ? null : serverPath(root, session, path);
  if (target === null) {
    return;
  }
  void (async () => {
    await app.commands.execute('docmanager:open', { path: target });
    if (line !== null && app.commands.hasCommand('fileeditor:go-to-line')) {
      await app.commands.execute('fileeditor:go-to-line', { line, column: 1 });
    }
  })();
}
