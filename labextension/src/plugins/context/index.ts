import type { JupyterFrontEnd } from '@jupyterlab/application';
import { PageConfig } from '@jupyterlab/coreutils';
import { DocumentWidget } from '@jupyterlab/docregistry';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { Widget } from '@lumino/widgets';

import { Failure } from '../../delivery/failure';
import type { DraftAttachment } from '../../state/attachments';
import type { Translate } from '../../views';
import type { PromptSession, SessionState } from '../../wire/types';
import type { CurrentNotebook } from '../currentNotebook';
import { serverPath } from '../serverPath';
import { blocksOf } from './blocks';
import { Files } from './files';
import { Mentions } from './mentions';
import { folderOf } from './paths';
import { Variables } from './variables';

export { acceptFiles } from './dropped';

interface PageContextOptions {
  readonly app: JupyterFrontEnd;
  readonly notebook: CurrentNotebook;
  /** The session that is written to, as far as it is known. */
  readonly session: () => SessionState | null;
  readonly t: Translate;
}

/** What of the page can go along with a message. */
export class PageContext {
  readonly mentions: Mentions;
  readonly #options: PageContextOptions;
  readonly #variables = new Variables();

  constructor(options: PageContextOptions) {
    this.#options = options;
    this.mentions = new Mentions({
      notebook: options.notebook,
      variables: this.#variables,
      files: new Files(options.app.serviceManager.contents),
      folder: () => this.#folder(),
      documents: () => this.#documents(),
      t: options.t,
    });
  }

  /** A message with what is attached to it. */
  async prompt(
    text: string,
    attachments: readonly DraftAttachment[],
    session: SessionState | null,
  ): Promise<PromptSession['prompt']> {
    if (attachments.length === 0) {
      return text;
    }
    const { notebook, t } = this.#options;
    if (session === null) {
      throw new Failure(t('The session is not loaded yet. Try again in a moment.'), 'not_loaded');
    }
    const blocks = await blocksOf(attachments, session, {
      root: PageConfig.getOption('serverRoot'),
      notebook,
      variables: this.#variables,
      document: path => this.#documents().find(({ localPath }) => localPath === path) ?? null,
      t,
    });
    return text === '' ? blocks : [{ type: 'text', text }, ...blocks];
  }

  /** Of the session, else of the notebook; at the server. */
  #folder(): string {
    const session = this.#options.session();
    return session === null
      ? folderOf(this.#options.notebook.path)
      : (serverPath(PageConfig.getOption('serverRoot'), session, '.') ?? '');
  }

  #documents(): DocumentRegistry.Context[] {
    const widgets = [...this.#options.app.shell.widgets('main')].filter(isDocument);
    return [...new Set(widgets.map(({ context }) => context))];
  }
}

function isDocument(widget: Widget): widget is DocumentWidget {
  return widget instanceof DocumentWidget;
}
