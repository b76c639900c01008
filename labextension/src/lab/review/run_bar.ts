import type { NotebookPanel } from '@jupyterlab/notebook';
import { Widget } from '@lumino/widgets';

import type { Mounted, Translate } from '../../views';
import type { RunNoteProps } from '../../views/review';
import { mountRunNote } from '../page/lazy_views';
import { forgetRun } from './run';
import type { Run } from './run';

/** A bar above a notebook: a run has changed files, which can be reviewed together. */
class RunBar extends Widget {
  readonly #mounted: Mounted<RunNoteProps>;

  constructor(props: RunNoteProps) {
    super();
    this.addClass('acp-RunBar');
    this.#mounted = mountRunNote(this.node, props);
  }

  refresh(props: RunNoteProps): void {
    this.#mounted.update(props);
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.#mounted.dispose();
      super.dispose();
    }
  }
}

/** The bars of all notebooks, each for the last run until it is used or closed. */
export class RunBars {
  readonly #bars = new Map<NotebookPanel, { readonly run: Run; readonly bar: RunBar }>();
  readonly #review: (run: Run) => void;
  readonly #t: Translate;

  constructor(review: (run: Run) => void, t: Translate) {
    this.#review = review;
    this.#t = t;
  }

  /** Shows or updates the bar of a run; `last` is the last one of its notebook. */
  show(run: Run, last: Run | null): void {
    const shown = this.#bars.get(run.panel);
    if (run !== last || run.panel.isDisposed) {
      return;
    }
    if (shown !== undefined && (shown.run !== run || !isShown(run))) {
      this.#close(run.panel);
    }
    if (isShown(run)) {
      void this.#showBar(run);
    }
  }

  async #showBar(run: Run): Promise<void> {
    const { isTouched, joinedIds } = await import('../../views/review');
    const known = this.#bars.get(run.panel);
    const isOpen = run.hasOpenChanges((turnIds, path) => isTouched(joinedIds(turnIds), path));
    if (run.panel.isDisposed || !isShown(run)) {
      return;
    }
    if (!isOpen) {
      this.#close(run.panel);
      return;
    }
    const props = this.#props(run);
    if (known !== undefined) {
      known.bar.refresh(props);
      return;
    }
    const bar = new RunBar(props);
    this.#bars.set(run.panel, { run, bar });
    steady(run.panel, () => run.panel.contentHeader.addWidget(bar));
  }

  #props(run: Run): RunNoteProps {
    const used = () => {
      run.isSeen = true;
      forgetRun({ path: run.path, name: run.name, turnIds: [...run.turns.keys()] });
      this.#close(run.panel);
    };
    return {
      files: run.files,
      onReview: () => {
        used();
        this.#review(run);
      },
      onClose: () => {
        used();
        run.panel.content.node.focus();
      },
      t: this.#t,
    };
  }

  #close(panel: NotebookPanel): void {
    const shown = this.#bars.get(panel);
    this.#bars.delete(panel);
    if (shown !== undefined && !panel.isDisposed) {
      steady(panel, () => shown.bar.dispose());
    }
  }
}

function isShown(run: Run): boolean {
  return !run.isSeen && run.isReviewable;
}

/** Keeps the notebook's scroll position when the bar above it appears or goes. */
function steady(panel: NotebookPanel, change: () => void): void {
  const outer = panel.content.node.querySelector('.jp-WindowedPanel-outer') ?? panel.content.node;
  const before = outer.getBoundingClientRect().top;
  change();
  requestAnimationFrame(() => {
    outer.scrollTop += outer.getBoundingClientRect().top - before;
  });
}
