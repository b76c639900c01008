import { CodeCell } from '@jupyterlab/cells';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';

import type { Translate } from '../../views';
import { isPromptCell } from '../page/answer_cells';

/** Class of the elements that JupyterLab makes, one for each output. */
export const OUTPUT = 'jp-OutputArea-child';

/** An output on the page. */
export interface PointedOutput {
  readonly notebook: NotebookPanel;
  readonly cell: CodeCell;
  /** Its place among the cell's outputs, from 0. */
  readonly index: number;
}

/** The output of a code cell that an element belongs to; `null` for none, or that of a prompt. */
export function outputAt(tracker: INotebookTracker, element: Element): PointedOutput | null {
  const notebook = tracker.find(({ node }) => node.contains(element));
  const cell = notebook?.content.widgets.find(({ node }) => node.contains(element));
  if (notebook === undefined || !isAsked(cell)) {
    return null;
  }
  const index = cell.outputArea.widgets.findIndex(({ node }) => node.contains(element));
  return index < 0 || index >= cell.model.outputs.length ? null : { notebook, cell, index };
}

/** Whether a cell's outputs can be asked about: those of a prompt are the agent's own. */
export function isAsked(cell: unknown): cell is CodeCell {
  return (
    cell instanceof CodeCell &&
    !cell.isDisposed &&
    !cell.isPlaceholder() &&
    !isPromptCell(cell.model.sharedModel.getSource())
  );
}

/** Shows a button at the output under the pointer. */
export function showButton(
  tracker: INotebookTracker,
  ask: (output: PointedOutput) => void,
  t: Translate,
): void {
  const holder = document.createElement('div');
  holder.className = 'acp acp-AskOutput';
  holder.dataset['host'] = 'panel';
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'btn small';
  button.textContent = t('Ask about this');
  button.title = t('Put this output into a message to the agent');
  button.tabIndex = -1; // the palette and the menu have the command for the keyboard
  let shown: Element | null = null;
  const hide = () => {
    holder.remove();
    shown = null;
  };
  button.addEventListener('click', () => {
    const output = shown?.isConnected === true ? outputAt(tracker, shown) : null;
    hide();
    if (output !== null) {
      ask(output);
    }
  });
  holder.append(button);
  const show = (child: Element) => {
    // Not in the output itself: that scrolls, and may be lower than the button.
    const wrapper = child.closest('.jp-Cell-outputWrapper');
    if (wrapper === null || outputAt(tracker, child) === null) {
      hide();
    } else if (child !== shown || holder.parentElement !== wrapper) {
      const top = child.getBoundingClientRect().top - wrapper.getBoundingClientRect().top;
      holder.style.marginTop = `${Math.max(0, top)}px`;
      wrapper.append(holder);
      shown = child;
    }
  };
  const watch = ({ content: { node } }: NotebookPanel) => {
    node.addEventListener('pointerover', ({ target }) => {
      const child = target instanceof Element ? target.closest(`.${OUTPUT}`) : null;
      if (child !== null) {
        show(child);
      } else if (!(target instanceof Node && holder.contains(target))) {
        hide();
      }
    });
    node.addEventListener('pointerleave', hide);
  };
  tracker.forEach(watch);
  tracker.widgetAdded.connect((_, panel) => watch(panel));
}
