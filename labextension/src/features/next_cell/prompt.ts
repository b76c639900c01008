import type { NotebookPanel } from '@jupyterlab/notebook';

import { cellById, cellText, cellsOf } from '../../lab/context/cells';
import { shortenMiddle } from '../../lab/context/shorten_middle';
import { fenced } from '../../lab/page/fenced';

/** Most characters of the cells in the prompt. */
const MAX_CHARS = 40_000;

/** Most characters of one cell. */
const MAX_OF_CELL = 8_000;

/** Number of cells below that are in the prompt, so that they are not suggested again. */
const MAX_BELOW = 3;

/** The prompt: it asks for one code cell below another, and nothing else. */
export function nextCellPrompt(notebook: NotebookPanel, cellId: string): string {
  const language = notebook.content.model?.defaultKernelLanguage || 'python';
  const place = (cellById(notebook, cellId)?.number ?? 1) - 1;
  const cells = cellsOf(notebook).map(cellText);
  const types = [...(notebook.content.model?.cells ?? [])].map(({ type }) => type);
  const written = (text: string, index: number) =>
    `Cell ${index + 1} (${types[index]}):\n\n${fenced(shortenMiddle(text, MAX_OF_CELL))}`;
  const above: string[] = [];
  let left = MAX_CHARS;
  for (let index = place; index >= 0; index -= 1) {
    const text = written(cells[index] ?? '', index);
    left -= text.length;
    if (left < 0) {
      above.unshift(`[${index + 1} cells above are left out]`);
      break;
    }
    above.unshift(text);
  }
  const below = cells
    .slice(place + 1, place + 1 + MAX_BELOW)
    .map((text, index) => written(text, place + 1 + index));
  return [
    `Suggest the next cell of this notebook: one ${language} cell that comes below cell ${place + 1}. ` +
      'Answer with its source in one code block, and with nothing else. Use no tools, and change ' +
      'and run nothing: the user sees the source and decides. If nothing useful comes next, ' +
      'answer without a code block.',
    `The notebook ${notebook.context.localPath}, with its outputs:`,
    ...above,
    ...(below.length === 0 ? [] : ['Below that place:', ...below]),
  ].join('\n\n');
}
