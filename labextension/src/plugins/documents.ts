import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IDocumentWidgetOpener } from '@jupyterlab/docmanager';
import { DocumentWidget } from '@jupyterlab/docregistry';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { Widget } from '@lumino/widgets';

import type { Client } from '../delivery/client';
import { Failure } from '../delivery/failure';
import { IAcpClient } from './client';
import { StaleDocuments } from './staleDocuments';

/** Tells the host which documents this page holds, and reads them for it. */
class OpenDocuments {
  readonly #client: Client;
  readonly #focusedAt = new Map<DocumentRegistry.Context, number>();
  #planned = false;

  constructor(client: Client) {
    this.#client = client;
    client.answerAsks(({ path }) => this.#read(path));
  }

  add({ context, node }: DocumentWidget): void {
    node.addEventListener('focusin', () => {
      this.#focusedAt.set(context, Date.now() / 1000);
      this.#announce();
    });
    if (this.#focusedAt.has(context)) {
      return; // another view of a document that is open
    }
    this.#focusedAt.set(context, 0);
    context.pathChanged.connect(this.#announce, this);
    context.model.stateChanged.connect(this.#announce, this);
    context.disposed.connect(() => {
      this.#focusedAt.delete(context);
      this.#announce();
    });
    this.#announce();
  }

  /** Several changes of one moment are told once. */
  #announce(): void {
    if (this.#planned) {
      return;
    }
    this.#planned = true;
    queueMicrotask(() => {
      this.#planned = false;
      this.#client.hold(
        [...this.#focusedAt].map(([{ localPath, model }, focused_at]) => ({
          path: localPath,
          dirty: model.dirty,
          focused_at,
        })),
      );
    });
  }

  async #read(path: string): Promise<string> {
    const context = [...this.#focusedAt.keys()].find(({ localPath }) => localPath === path);
    if (context === undefined) {
      throw new Failure('This page does not hold that document.', 'no_document');
    }
    await context.ready;
    return context.model.toString();
  }
}

function isDocument(widget: Widget): widget is DocumentWidget {
  return widget instanceof DocumentWidget;
}

export const documentsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:documents',
  description: 'Lets agents read open documents as they are on the screen.',
  autoStart: true,
  requires: [IAcpClient, IDocumentWidgetOpener],
  activate: (app: JupyterFrontEnd, client: IAcpClient, opener: IDocumentWidgetOpener) => {
    const documents = new OpenDocuments(client);
    new StaleDocuments(app, client);
    for (const widget of app.shell.widgets('main')) {
      if (isDocument(widget)) {
        documents.add(widget);
      }
    }
    opener.opened.connect((_, widget) => {
      if (isDocument(widget)) {
        documents.add(widget);
      }
    });
  },
};
