import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IDocumentWidgetOpener } from '@jupyterlab/docmanager';
import type { DocumentRegistry, DocumentWidget } from '@jupyterlab/docregistry';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import type { Client } from '../../delivery/client';
import type { Translate } from '../../views';
import { IAcpClient } from '../page/client';
import { SETTINGS } from '../page/ids';
import { isDocument } from '../page/is_document';
import { markCells } from './cell_marks';
import { Conflicts } from './conflicts';
import { answerDocumentRequests } from './document_requests';
import { openDocument } from './open_document';
import type { OpenDocument } from './open_document';
import { StaleDocuments } from './stale_documents';

/** The documents that this page has open; reported to the host. */
class OpenDocuments {
  readonly #app: JupyterFrontEnd;
  readonly #client: Client;
  readonly #t: Translate;
  readonly #focusedAt = new Map<DocumentRegistry.Context, number>();
  #planned = false;

  constructor(app: JupyterFrontEnd, client: Client, t: Translate) {
    this.#app = app;
    this.#client = client;
    this.#t = t;
  }

  add({ context, id, node }: DocumentWidget): void {
    node.addEventListener('focusin', () => {
      this.#focusedAt.set(context, Date.now() / 1000);
      this.#announce();
    });
    if (this.#focusedAt.has(context)) {
      return; // another view of a document that is open
    }
    this.#focusedAt.set(context, 0);
    const document = this.#open(context);
    new Conflicts(document, () => this.#app.shell.activateById(id), this.#t);
    context.pathChanged.connect(this.#announce, this);
    context.model.stateChanged.connect(this.#announce, this);
    context.disposed.connect(() => {
      this.#focusedAt.delete(context);
      this.#announce();
    });
    this.#announce();
  }

  find(path: string): OpenDocument | undefined {
    const context = [...this.#focusedAt.keys()].find(({ localPath }) => localPath === path);
    return context === undefined ? undefined : this.#open(context);
  }

  all(): OpenDocument[] {
    return [...this.#focusedAt.keys()].map(context => this.#open(context));
  }

  #open(context: DocumentRegistry.Context): OpenDocument {
    return openDocument(context, this.#app.serviceManager.contents);
  }

  /** Reports the documents, once for all changes that happen together. */
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
}

export const documentsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:documents',
  description: 'Lets agents read and change open documents as they are on the screen.',
  autoStart: true,
  requires: [IAcpClient, IDocumentWidgetOpener],
  optional: [INotebookTracker, ISettingRegistry, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    client: IAcpClient,
    opener: IDocumentWidgetOpener,
    tracker: INotebookTracker | null,
    registry: ISettingRegistry | null,
    translator: ITranslator | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const t: Translate = (text, ...values) => trans.__(text, ...values);
    const documents = new OpenDocuments(app, client, t);
    if (tracker !== null) {
      markCells(tracker, t);
    }
    let maySave = true;
    const read = (settings: ISettingRegistry.ISettings) => {
      maySave = settings.composite['saveBeforePrompt'] !== false;
    };
    void registry?.load(SETTINGS).then(
      settings => {
        settings.changed.connect(read);
        read(settings);
      },
      () => {
        // If the settings can't be loaded, the default applies.
      },
    );
    answerDocumentRequests(client, { find: path => documents.find(path), maySave: () => maySave });
    new StaleDocuments(client, () => documents.all());
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
