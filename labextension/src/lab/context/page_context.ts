import type { JupyterFrontEnd } from '@jupyterlab/application';
import { PageConfig } from '@jupyterlab/coreutils';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import { Drag } from '@lumino/dragdrop';

import type { Client } from '../../delivery/client';
import { Failure } from '../../delivery/failure';
import type { DraftAttachment } from '../../state/attachments';
import type { Translate } from '../../views';
import type { PromptSession, SessionState } from '../../wire/types';
import type { CurrentNotebook } from '../page/current_notebook';
import { isDocument } from '../page/is_document';
import { baseOf, folderOf, serverPath } from '../page/paths';
import { blocksOf } from './content_blocks';
import type { Block, BlockSession } from './content_blocks';
import { Files } from './files';
import { Mentions } from './mentions';
import { Variables } from './variables';

interface PageContextOptions {
  readonly app: JupyterFrontEnd;
  readonly client: Client;
  readonly notebook: CurrentNotebook;
  /** The session that gets the message, if it is known. */
  readonly session: () => SessionState | null;
  readonly t: Translate;
}

/** What `@` can name in the page, and the prompt with its attachments. */
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

  /** The prompt of a message: its text, or content blocks with its attachments. */
  async prompt(
    text: string,
    attachments: readonly DraftAttachment[],
    session: SessionState | null,
  ): Promise<PromptSession['prompt']> {
    if (attachments.length === 0) {
      return text;
    }
    const { t } = this.#options;
    if (session === null) {
      throw new Failure(t('The session is not loaded yet. Try again in a moment.'), 'not_loaded');
    }
    const blocks = await this.blocks(attachments, session);
    return text === '' ? blocks : [{ type: 'text', text }, ...blocks];
  }

  /** The content blocks of attachments, as they are now. */
  blocks(attachments: readonly DraftAttachment[], session: BlockSession): Promise<Block[]> {
    const { client, notebook, t } = this.#options;
    return blocksOf(attachments, session, {
      root: PageConfig.getOption('serverRoot'),
      notebook,
      variables: this.#variables,
      document: path => this.#documents().find(({ localPath }) => localPath === path) ?? null,
      redacted: async (text, sessionId) =>
        (await client.run({ name: 'redact_text', text, session_id: sessionId })).text,
      t,
    });
  }

  /** Folder whose files can be mentioned: the session's, else the notebook's. */
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

/** MIME type of a drag out of JupyterLab's file browser: paths on the server. */
const CONTENTS = 'application/x-jupyter-icontents';

const EVENTS = ['lm-dragenter', 'lm-dragover', 'lm-dragleave', 'lm-drop'] as const;

/** Marks the element that files would be dropped on. */
const OVER_CLASS = 'acp-mod-dropTarget';

/**
 * Calls `onFile` for files of the file browser that are dropped on an element; returns a function
 * that stops it.
 */
export function acceptFiles(
  element: HTMLElement,
  onFile: (file: DraftAttachment) => void,
): () => void {
  const listen = (event: Event) => {
    if (!(event instanceof Drag.Event) || !event.mimeData.hasData(CONTENTS)) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    event.dropAction = event.proposedAction;
    const to = event.relatedTarget instanceof Node ? event.relatedTarget : null;
    const leaves = event.type === 'lm-dragleave' && !element.contains(to);
    element.classList.toggle(OVER_CLASS, event.type !== 'lm-drop' && !leaves);
    if (event.type === 'lm-drop') {
      const paths: unknown = event.mimeData.getData(CONTENTS);
      for (const path of Array.isArray(paths) ? paths : []) {
        if (typeof path === 'string') {
          onFile({ kind: 'file', label: baseOf(path), path });
        }
      }
    }
  };
  EVENTS.forEach(name => element.addEventListener(name, listen));
  return () => EVENTS.forEach(name => element.removeEventListener(name, listen));
}
