import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { NotebookPanel } from '@jupyterlab/notebook';

import type { Translate } from '../../views';
import type { Mention, MentionSource } from '../../views/actions';
import type { CurrentNotebook } from '../page/current_notebook';
import { baseOf } from '../page/paths';
import { cellsNear, firstLine, lastError } from './cells';
import type { Files } from './files';
import { best } from './fuzzy';
import type { Searched } from './fuzzy';
import type { Variable, Variables } from './variables';

/** Most mentions that are listed. */
const MOST = 8;

export interface MentionSources {
  readonly notebook: CurrentNotebook;
  readonly variables: Variables;
  readonly files: Files;
  /** The folder at the server whose files are offered. */
  readonly folder: () => string;
  readonly documents: () => readonly DocumentRegistry.Context[];
  readonly t: Translate;
}

/** What `@` names in JupyterLab: of the current notebook, the open documents, the folder. */
export class Mentions implements MentionSource {
  readonly #sources: MentionSources;

  constructor(sources: MentionSources) {
    this.#sources = sources;
  }

  find(query: string, found: (mentions: readonly Mention[]) => void): () => void {
    const { notebook, variables, files } = this.#sources;
    const folder = this.#sources.folder();
    const kernel = notebook.panel?.sessionContext.session?.kernel ?? null;
    let stopped = false;
    const tell = () => {
      if (!stopped) {
        found(
          this.#best(
            query,
            folder,
            kernel === null ? [] : variables.known(kernel),
            files.known(folder),
          ),
        );
      }
    };
    tell();
    void files.below(folder).then(tell);
    const listVariables = () => {
      if (kernel?.status === 'idle') {
        void variables.list(kernel).then(tell);
      }
    };
    listVariables();
    // A busy kernel is asked when it is idle again.
    kernel?.statusChanged.connect(listVariables);
    return () => {
      stopped = true;
      kernel?.statusChanged.disconnect(listVariables);
    };
  }

  #best(
    query: string,
    folder: string,
    variables: readonly Variable[],
    files: readonly string[],
  ): Mention[] {
    const { panel } = this.#sources.notebook;
    const documents = this.#documents(folder);
    const open = new Set(documents.map(({ attachment }) => pathOf(attachment)));
    const groups: (readonly Searched[])[] = [
      panel === null ? [] : this.#errors(panel).map(byWord),
      panel === null ? [] : variables.map(one => byLabel(variableMention(one, pathOfPanel(panel)))),
      panel === null ? [] : this.#cells(panel),
      documents.map(byLabel),
      files.filter(path => !open.has(path)).map(path => byLabel(fileMention(path, folder))),
    ];
    return best(groups, query, MOST);
  }

  #errors(panel: NotebookPanel): Mention[] {
    const found = lastError(panel);
    return found === null ? [] : [errorMention(panel, found.cell.model.id, found, this.#sources.t)];
  }

  #cells(panel: NotebookPanel): Searched[] {
    const { t } = this.#sources;
    const path = pathOfPanel(panel);
    return cellsNear(panel).map(cell => {
      const line = firstLine(cell);
      const label = line === '' ? t('Cell %1', cell.number) : t('Cell %1: %2', cell.number, line);
      return {
        name: line,
        whole: String(cell.number),
        mention: {
          group: 'cells',
          label,
          detail: '',
          word: t('cell %1', cell.number),
          attachment: { kind: 'cell', label, notebook: path, cellId: cell.model.id },
        },
      };
    });
  }

  #documents(folder: string): Mention[] {
    const { documents, t } = this.#sources;
    return documents().map(({ localPath: path, model }) => ({
      group: 'documents',
      label: below(folder, path),
      detail: model.dirty ? t('unsaved') : '',
      word: below(folder, path).replaceAll(' ', '_'),
      attachment: { kind: 'document', label: baseOf(path), path },
    }));
  }
}

function byWord(mention: Mention): Searched {
  return { mention, name: mention.word, whole: '' };
}

function byLabel(mention: Mention): Searched {
  return { mention, name: baseOf(mention.label), whole: mention.label };
}

/** The error of a cell, as something to attach. */
export function errorMention(
  panel: NotebookPanel,
  cellId: string,
  { cell, error }: NonNullable<ReturnType<typeof lastError>>,
  t: Translate,
): Mention {
  const label = t('Cell %1: %2', cell.number, error.name);
  return {
    group: 'errors',
    label,
    detail: '',
    word: error.name,
    attachment: {
      kind: 'error',
      label,
      notebook: pathOfPanel(panel),
      cellId,
      text: `${cell.model.sharedModel.source}\n\n${error.text}`,
    },
  };
}

function variableMention({ name, type }: Variable, notebook: string): Mention {
  return {
    group: 'variables',
    label: name,
    detail: type,
    word: name,
    attachment: { kind: 'variable', label: name, notebook, name },
  };
}

function fileMention(path: string, folder: string): Mention {
  return {
    group: 'files',
    label: below(folder, path),
    detail: '',
    word: below(folder, path).replaceAll(' ', '_'),
    attachment: { kind: 'file', label: baseOf(path), path },
  };
}

function below(folder: string, path: string): string {
  return folder !== '' && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

function pathOfPanel({ context }: NotebookPanel): string {
  return context.localPath;
}

function pathOf(attachment: Mention['attachment']): string {
  return attachment.kind === 'document' ? attachment.path : '';
}
