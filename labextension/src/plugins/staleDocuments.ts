import type { JupyterFrontEnd } from '@jupyterlab/application';
import { PageConfig } from '@jupyterlab/coreutils';
import { DocumentWidget } from '@jupyterlab/docregistry';
import { NotebookPanel } from '@jupyterlab/notebook';
import type { Widget } from '@lumino/widgets';

import type { Client } from '../delivery/client';
import type { SessionView } from '../state/view';
import type { TurnState } from '../wire/types';
import { anyRunning } from './notebookCells';
import { changedOnDisk } from './onDisk';
import { serverPath } from './serverPath';

/**
 * Loads open documents again that an agent has changed on disk, or that were taken back.
 *
 * JupyterLab would show the old text, and ask only when the user saves over the
 * new one. What is not saved, or runs, stays as it is.
 */
export class StaleDocuments {
  readonly #app: JupyterFrontEnd;
  readonly #client: Client;
  /** How the files of each turn stood, by session. */
  readonly #known = new Map<string, Map<string, string>>();

  constructor(app: JupyterFrontEnd, client: Client) {
    this.#app = app;
    this.#client = client;
    client.turnsChanged.add(sessionId => this.#look(sessionId));
  }

  #look(sessionId: string): void {
    const following = this.#client.follow(sessionId);
    const { view } = following.store;
    following.dispose();
    const before = this.#known.get(sessionId);
    const now = new Map([...view.turns.values()].map(turn => [turn.turn_id, standing(turn)]));
    this.#known.set(sessionId, now);
    if (before === undefined) {
      return; // as it was when the page came
    }
    const paths = [...view.turns.values()]
      .filter(({ turn_id: id }) => (before.get(id) ?? '') !== now.get(id))
      .flatMap(turn => pathsOf(turn, view));
    if (paths.length > 0) {
      void this.#reload(new Set(paths));
    }
  }

  async #reload(paths: ReadonlySet<string>): Promise<void> {
    for (const widget of this.#app.shell.widgets('main')) {
      if (isDocument(widget) && paths.has(widget.context.localPath) && isIdle(widget)) {
        const changed = await changedOnDisk(widget.context, this.#app.serviceManager.contents);
        if (changed === true && isIdle(widget)) {
          await widget.context.revert().catch((error: unknown) => console.warn(error));
        }
      }
    }
  }
}

function isDocument(widget: Widget): widget is DocumentWidget {
  return widget instanceof DocumentWidget;
}

function isIdle(widget: DocumentWidget): boolean {
  const { isDisposed, isReady, model } = widget.context;
  const runs = widget instanceof NotebookPanel && widget.model !== null && anyRunning(widget.model);
  return !isDisposed && isReady && !model.dirty && !model.collaborative && !runs;
}

function standing({ changes }: TurnState): string {
  const files = changes?.files ?? [];
  return JSON.stringify(files.map(each => [each.path, each.reverted, each.reverted_hunks]));
}

/** By which the page knows them. */
function pathsOf({ changes }: TurnState, { session }: SessionView): string[] {
  const root = PageConfig.getOption('serverRoot');
  return (changes?.files ?? [])
    .flatMap(({ path, old_path }) => [path, old_path])
    .flatMap(path =>
      path === '' || session === null ? [] : (serverPath(root, session, path) ?? []),
    );
}
