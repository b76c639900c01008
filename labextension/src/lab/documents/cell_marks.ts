import type { Cell } from '@jupyterlab/cells';
import type { INotebookTracker } from '@jupyterlab/notebook';

import type { Translate } from '../../views';
import { isRecord, text } from '../../wire/read';
import { forEachCell } from './each_cell';

const MARK = 'acp-CellMark';

/** Shows which cells an agent wrote, as their metadata says. */
export function markCells(tracker: INotebookTracker, t: Translate): void {
  forEachCell(tracker, cell => show(cell, t));
}

function show(cell: Cell, t: Translate): void {
  const mark: unknown = cell.model.getMetadata('acp');
  const agent = isRecord(mark) ? text(mark, 'agent') : '';
  showMark(cell, MARK, agent === '' ? '' : t('Written by %1', agent));
}

/** Shows a mark of a class at a cell with these words as its name; none for empty words. */
export function showMark(cell: Cell, className: string, words: string): HTMLElement | null {
  const shown = cell.node.querySelector<HTMLElement>(`:scope > .${className}`);
  if (words === '') {
    shown?.remove();
    return null;
  }
  const node = shown ?? cell.node.appendChild(document.createElement('span'));
  node.className = className;
  node.title = words;
  node.setAttribute('role', 'img');
  node.setAttribute('aria-label', words);
  return node;
}
