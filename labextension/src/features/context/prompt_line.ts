import { CodeCell } from '@jupyterlab/cells';
import type { Cell } from '@jupyterlab/cells';
import { NotebookActions } from '@jupyterlab/notebook';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';
import { PanelLayout, Widget } from '@lumino/widgets';

import { askPython } from '../../lab/context/variables';
import { changeText } from '../../lab/documents/merge/notebook_model';
import { isPromptCell } from '../../lab/page/answer_cells';
import { contextOf } from '../../lab/page/cell_context';
import type { Mounted, Translate } from '../../views';
import { isRecord, list, text } from '../../wire/read';
import { withName } from './first_line';
import { kindOfAddress } from './going_along';
import type { Going } from './going_along';
import type { LineProps } from './view/prompt_line';

/** Pause after the last change. */
const PAUSE_MS = 200;

const ANSWER_MS = 6_000;

/** The line under the active prompt cell of a Python kernel: what goes along with its prompt. */
export class PromptLine {
  readonly #tracker: INotebookTracker;
  readonly #t: Translate;
  #at: { readonly cell: CodeCell; readonly bar: Bar } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Stops waiting for a busy kernel. */
  #stopWaiting: () => void = () => undefined;

  constructor(tracker: INotebookTracker, t: Translate) {
    this.#tracker = tracker;
    this.#t = t;
    tracker.activeCellChanged.connect(() => this.plan());
    NotebookActions.executed.connect(() => this.plan());
    this.plan();
  }

  /** Reads it again after a pause. */
  plan(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#read().catch((error: unknown) => console.error(error));
    }, PAUSE_MS);
  }

  async #read(): Promise<void> {
    this.#stopWaiting();
    const notebook = this.#tracker.currentWidget;
    const cell = this.#tracker.activeCell;
    const kernel = notebook?.sessionContext.session?.kernel ?? null;
    if (this.#at !== null && (this.#at.cell !== cell || kernel === null)) {
      this.#at.bar.dispose();
      this.#at = null;
    }
    if (notebook === null || kernel === null || !isAsked(cell)) {
      this.#at?.bar.draw([], '');
      return;
    }
    if (kernel.status !== 'idle') {
      this.#wait(kernel);
      // Of a prompt that runs, what went along is known.
      const runs = cell.node.querySelector('.jp-InputPrompt')?.textContent.includes('*') === true;
      if (this.#at === null && kernel.status === 'busy' && !runs) {
        this.#show(cell, [], this.#t('The kernel is busy: what goes along is not known yet.'));
      }
      return;
    }
    const source = cell.model.sharedModel.getSource();
    const answer = await askPython(kernel, asked(notebook, cell, source), ANSWER_MS);
    const isSame = this.#tracker.activeCell === cell && !cell.isDisposed;
    if (isRecord(answer) && isSame && cell.model.sharedModel.getSource() === source) {
      const going = list(answer, 'going', each => this.#goingOf(each, cell));
      this.#show(cell, going, text(answer, 'words'));
    }
  }

  #wait(kernel: Kernel.IKernelConnection): void {
    const look = () => {
      if (kernel.status === 'idle') {
        this.plan();
      }
    };
    kernel.statusChanged.connect(look);
    this.#stopWaiting = () => kernel.statusChanged.disconnect(look);
  }

  #show(cell: CodeCell, going: readonly Going[], words: string): void {
    if (this.#at === null && going.length === 0 && words === '') {
      return;
    }
    const { layout } = cell;
    if (this.#at === null && layout instanceof PanelLayout) {
      const bar = new Bar(this.#t);
      const input = layout.widgets.findIndex(each => each.hasClass('jp-Cell-inputWrapper'));
      layout.insertWidget(input + 1, bar);
      this.#at = { cell, bar };
    }
    this.#at?.bar.draw(going, words);
  }

  #goingOf(each: Readonly<Record<string, unknown>>, cell: CodeCell): Going | null {
    const { block, size, out } = each;
    if (!isRecord(block) || typeof block['type'] !== 'string') {
      return null;
    }
    const name = text(each, 'name');
    const resource = isRecord(block['resource']) ? block['resource'] : block;
    const number = /^cell (\d+)$/.exec(name)?.[1];
    const isOut = out === true;
    return {
      key: `${block['type']} ${name}`,
      kind: kindOfAddress(block['type'], text(resource, 'uri')),
      label: number === undefined ? name : this.#t('Cell %1', number),
      block,
      size: typeof size === 'number' ? size : null,
      words: '',
      isOut,
      onToggle: () => {
        const { sharedModel } = cell.model;
        changeText(sharedModel, withName(sharedModel.getSource(), name, !isOut));
      },
    };
  }
}

function isAsked(cell: Cell | null): cell is CodeCell {
  return cell instanceof CodeCell && isPromptCell(cell.model.sharedModel.getSource());
}

/** The expression that a kernel evaluates; the source is in it as a literal that Python reads. */
function asked({ content }: NotebookPanel, { model }: CodeCell, source: string): string {
  const cells = [...(content.model?.cells ?? [])];
  const isPinned = cells.some(cell => cell.id !== model.id && contextOf(cell) === 'pinned');
  const given = [source, model.id].map(each => JSON.stringify(each)).join(', ');
  return (
    "__import__('acp_jupyter.features.context.preview', fromlist=['_'])" +
    `.going_along(${given}, pins=${isPinned ? 'True' : 'False'})`
  );
}

/** The widget between a cell's input and its output. */
class Bar extends Widget {
  readonly #t: Translate;
  #props: LineProps;
  #mounted: Mounted<LineProps> | null = null;

  constructor(t: Translate) {
    super();
    this.#t = t;
    this.#props = { all: [], words: '', t };
    this.addClass('acp');
    this.addClass('acp-PromptLine');
    this.node.dataset['host'] = 'panel';
    this.node.dataset['lmSuppressShortcuts'] = 'true';
    void import(/* webpackChunkName: "views" */ './view/prompt_line').then(({ mountLine }) => {
      if (!this.isDisposed) {
        this.#mounted = mountLine(this.node, this.#props);
      }
    });
  }

  draw(all: readonly Going[], words: string): void {
    this.#props = { all, words, t: this.#t };
    this.#mounted?.update(this.#props);
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.#mounted?.dispose();
      super.dispose();
    }
  }
}
