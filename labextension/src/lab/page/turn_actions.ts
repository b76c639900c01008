import type { JupyterFrontEnd } from '@jupyterlab/application';
import { PageConfig } from '@jupyterlab/coreutils';
import { DocumentWidget } from '@jupyterlab/docregistry';
import { CommandRegistry } from '@lumino/commands';
import type { Widget } from '@lumino/widgets';

import type { Client } from '../../delivery/client';
import { Failure } from '../../delivery/failure';
import type { Actions, Translate } from '../../views';
import { commandActions } from '../../views/command_actions';
import { policiesOf } from '../../wire/policy';
import { isRecord, number } from '../../wire/read';
import { sandboxesOf } from '../../wire/sandbox';
import type { SessionState } from '../../wire/types';
import { additions } from './additions';
import { exportSession } from './export_session';
import { GO_TO_PERMISSION, OPEN_SESSION, REVIEW } from './ids';
import { serverPath } from './paths';

/** The actions of a turn in a cell. */
export function turnActions(
  app: JupyterFrontEnd,
  client: Client,
  session: () => SessionState | null,
  t: Translate,
): Actions {
  return {
    ...commandActions(client.run),
    requestShortcut: () => shortcutOf(app, GO_TO_PERMISSION),
    policies: policiesOf(PageConfig.getOption('acpPolicies')),
    sandboxes: sandboxesOf(PageConfig.getOption('acpSandboxes')),
    review: turnId =>
      void app.commands.execute(REVIEW, { sessionId: session()?.session_id ?? '', turnId }),
    exportSession: (sessionId, format) => exportSession(app, sessionId, format),
    additions,
    openSession: sessionId => void app.commands.execute(OPEN_SESSION, { sessionId }),
    sessionName: sessionId => nameAmongOthers(client, sessionId, t),
    baseUrl: PageConfig.getBaseUrl(),
    openFile: (path, line) => openFile(app, session(), path, line, t),
    reconnect: () => client.reconnect(),
    // Absent if the page was loaded over plain http.
    ...('clipboard' in navigator
      ? { copy: (text: string) => navigator.clipboard.writeText(text) }
      : {}),
  };
}

/** The title of a session if its notebook has more than one with the same agent. */
function nameAmongOthers(client: Client, sessionId: string, t: Translate): string {
  const sessions = client.sessions ?? [];
  const own = sessions.find(session => session.session_id === sessionId);
  const others = sessions.filter(
    session =>
      session !== own &&
      session.notebook_path === own?.notebook_path &&
      session.agent_id === own.agent_id,
  );
  return own === undefined || own.notebook_path === '' || others.length === 0
    ? ''
    : own.title || t('New session');
}

/** A command's shortcut as shown to users; empty if it has none. */
export function shortcutOf({ commands }: JupyterFrontEnd, command: string): string {
  const binding = commands.keyBindings.find(each => each.command === command);
  return binding === undefined ? '' : CommandRegistry.formatKeystroke(binding.keys);
}

/** Opens a file or folder of a session; does nothing if the server doesn't serve it. */
async function openFile(
  app: JupyterFrontEnd,
  session: SessionState | null,
  path: string,
  line: number | null,
  t: Translate,
): Promise<void> {
  const root = PageConfig.getOption('serverRoot');
  const target = session === null ? null : serverPath(root, session, path);
  if (target === null) {
    return;
  }
  const { contents } = app.serviceManager;
  // An agent may name a file that doesn't exist.
  const found = await contents.get(target, { content: false }).catch(() => null);
  if (found === null) {
    throw new Failure(t('This path does not exist.'), 'open');
  }
  if (found.type === 'directory') {
    if (app.commands.hasCommand('filebrowser:open-path')) {
      await app.commands.execute('filebrowser:open-path', { path: target });
    }
    return;
  }
  const opened: unknown = await app.commands.execute('docmanager:open', { path: target });
  if (line !== null && opened instanceof DocumentWidget) {
    await opened.context.ready;
    await goToLine(app, opened, line);
  }
}

/** Only in a text editor; the file may have fewer lines by now. */
async function goToLine(
  { commands }: JupyterFrontEnd,
  { content }: { readonly content: Widget },
  line: number,
): Promise<void> {
  const editor: unknown = Reflect.get(content, 'editor');
  const lines = isRecord(editor) ? number(editor, 'lineCount') : null;
  if (lines !== null && commands.hasCommand('fileeditor:go-to-line')) {
    await commands.execute('fileeditor:go-to-line', { line: Math.min(line, lines), column: 1 });
  }
}
