import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';

import type { Translate } from '../../views';
import type { Mention, MentionSource } from '../../views/actions';
import type { CurrentNotebook } from '../page/current_notebook';
import { baseOf } from '../page/paths';
import { isLeftOut } from '../page/cell_context';
import { cellsNear, firstLine, lastError } from './cells';
import type { Files } from './files';
import type * as Fuzzy from './fuzzy';
import type { Searched } from './fuzzy';
import type { Variable, Variables } from './variables';

/** Most mentions that are listed. */
const MAX = 8;

export interface MentionSources {
  readonly notebook: CurrentNotebook;
  readonly variables: Variables;
  readonly files: Files;
  /** The folder on the server whose files are offered. */
  readonly folder: () => string;
  readonly documents: () => readonly DocumentRegistry.Context[];
  readonly t: Translate;
}

/** What `@` names in JupyterLab: of the current notebook, the open documents, the folder. */
export class Mentions implements MentionSource {
  readonly #sources: MentionSources;
  /** Loaded with the first mention: few pages need it. */
  #fuzzy: typeof Fuzzy | null = null;

  constructor(sources: MentionSources) {
    this.#sources = sources;
  }

  find(query: string, found: (mentions: readonly Mention[]) => void): () => void {
    const { notebook, variables, files } = this.#sources;
    const folder = this.#sources.folder();
    const kernel = this.#kernel();
    let stopped = false;
    const tell = () => {
      if (!stopped) {
        found(this.#best(this.#groups(folder, kernel, notebook.panel, query), query));
      }
    };
    void this.#load().then(tell);
    void files.below(folder).then(tell);
    const listVariables = () => {
      if (kernel?.status === 'idle') {
        void variables.list(kernel).then(tell);
        void variables.offer(kernel, query).then(tell);
      }
    };
    listVariables();
    // A busy kernel is asked once it is idle.
    kernel?.statusChanged.connect(listVariables);
    return () => {
      stopped = true;
      kernel?.statusChanged.disconnect(listVariables);
    };
  }

  /** Resolves once files and variables are known, or if an idle kernel has not answered in time. */
  async ready(query = ''): Promise<void> {
    const { variables, files } = this.#sources;
    const kernel = this.#kernel();
    const asked =
      kernel?.status === 'idle' ? [variables.list(kernel), variables.offer(kernel, query)] : [];
    await Promise.all([this.#load(), files.below(this.#sources.folder()), ...asked]);
  }

  /** Everything that is known now that a prompt in a cell can mention, best first. */
  inCell(query: string, cellId: string): Mention[] {
    const folder = this.#sources.folder();
    const { panel } = this.#sources.notebook;
    const groups = this.#groups(folder, this.#kernel(), panel, query).map(group =>
      group.filter(({ mention: { attachment } }) => {
        if (attachment.kind === 'document') {
          return folder === '' || attachment.path.startsWith(`${folder}/`);
        }
        return attachment.kind === 'cell'
          ? attachment.cellId !== cellId
          : attachment.kind !== 'error';
      }),
    );
    return this.#best(groups, query);
  }

  async #load(): Promise<void> {
    this.#fuzzy ??= await import('./fuzzy');
  }

  #best(groups: readonly (readonly Searched[])[], query: string): Mention[] {
    return this.#fuzzy?.best(groups, query, MAX) ?? [];
  }

  #kernel(): Kernel.IKernelConnection | null {
    return this.#sources.notebook.panel?.sessionContext.session?.kernel ?? null;
  }

  #groups(
    folder: string,
    kernel: Kernel.IKernelConnection | null,
    panel: NotebookPanel | null,
    query: string,
  ): readonly (readonly Searched[])[] {
    const variables = kernel === null ? [] : this.#sources.variables.known(kernel);
    const offered = kernel === null ? [] : this.#sources.variables.offered(kernel, query);
    const files = this.#sources.files.known(folder);
    const documents = this.#documents(folder);
    const open = new Set(documents.map(({ attachment }) => pathOf(attachment)));
    return [
      panel === null ? [] : this.#errors(panel).map(byWord),
      panel === null ? [] : variables.map(one => byLabel(variableMention(one, pathOfPanel(panel)))),
      panel === null
        ? []
        : offered.map(one =>
            byLabel({ ...variableMention(one, pathOfPanel(panel)), group: 'packages' }),
          ),
      panel === null ? [] : this.#cells(panel),
      documents.map(byLabel),
      files.filter(path => !open.has(path)).map(path => byLabel(fileMention(path, folder))),
    ];
  }

  #errors(panel: NotebookPanel): Mention[] {
    const found = lastError(panel);
    return found === null ? [] : [errorMention(panel, found.cell.model.id, found, this.#sources.t)];
  }

  #cells(panel: NotebookPanel): Searched[] {
    const { t } = this.#sources;
    const path = pathOfPanel(panel);
    const cells = cellsNear(panel).filter(({ model }) => !isLeftOut(model));
    return cells.map(cell => {
      const line = firstLine(cell);
      const label = line === '' ? t('Cell %1', cell.number) : t('Cell %1: %2', cell.number, line);
      return {
        name: line,
        whole: String(cell.number),
        mention: {
          group: 'cells',
          label,
          detail: '',
          // Also read by `%%acp`, so it is the same in all languages.
          word: `cell ${cell.number}`,
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
