import type { Cell } from '@jupyterlab/cells';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';

import type { Translate } from '../../views';
import { isRecord, text } from '../../wire/read';

const MARK = 'acp-CellMark';

/** Shows which cells an agent wrote, as their metadata says. */
export function markCells(tracker: INotebookTracker, t: Translate): void {
  const watch = (panel: NotebookPanel) => {
    const watched = new WeakSet<Cell>();
    let planned = false;
    const mark = () => {
      planned = false;
      if (panel.isDisposed) {
        return;
      }
      for (const cell of panel.content.widgets) {
        if (!watched.has(cell)) {
          watched.add(cell);
          cell.model.metadataChanged.connect(plan);
        }
        show(cell, t);
      }
    };
    const plan = () => {
      if (!planned) {
        planned = true;
        requestAnimationFrame(mark);
      }
    };
    void panel.context.ready.then(() => {
      panel.content.model?.cells.changed.connect(plan);
      plan();
    });
  };
  tracker.forEach(watch);
  tracker.widgetAdded.connect((_, panel) => watch(panel));
}

function show(cell: Cell, t: Translate): void {
  const mark: unknown = cell.model.getMetadata('acp');
  const agent = isRecord(mark) ? text(mark, 'agent') : '';
  const shown = cell.node.querySelector<HTMLElement>(`:scope > .${MARK}`);
  if (agent === '') {
    shown?.remove();
    return;
  }
  const words = t('Written by %1', agent);
  const node = shown ?? cell.node.appendChild(document.createElement('span'));
  node.className = MARK;
  node.title = words;
  node.setAttribute('role', 'img');
  node.setAttribute('aria-label', words);
}
