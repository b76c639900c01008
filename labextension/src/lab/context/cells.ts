import { isCodeCellModel } from '@jupyterlab/cells';
import type { ICellModel, ICodeCellModel } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';

import { LEFT_OUT, contextOf, hiddenCode, isLeftOut, shownFrames } from '../page/cell_context';
import type { IsHidden } from '../page/cell_context';
import { withoutColours } from '../page/without_colours';
import { linesOrText } from './output_text';
import { shortenMiddle } from './shorten_middle';

/** Most characters of an error before it is sent. */
const MAX_ERROR = 200_000;

/** A cell and its number, counted from 1. */
export interface NumberedCell {
  readonly number: number;
  readonly model: ICellModel;
  /** Says whether code in a traceback is of a cell that is left out; `null` if no cell is. */
  readonly isHidden: IsHidden | null;
}

/** All cells of a notebook. */
export function cellsOf({ content }: NotebookPanel): NumberedCell[] {
  const models = [...(content.model?.cells ?? [])];
  const isHidden = hiddenCode(
    models.map(model => [contextOf(model), isCodeCellModel(model) ? model.executionCount : null]),
  );
  return models.map((model, index) => ({ number: index + 1, model, isHidden }));
}

/** Cells of a notebook, the active one first, then those around it. */
export function cellsNear(panel: NotebookPanel): NumberedCell[] {
  const active = Math.max(0, panel.content.activeCellIndex);
  return cellsOf(panel).sort(
    (a, b) => Math.abs(a.number - 1 - active) - Math.abs(b.number - 1 - active),
  );
}

export function cellById(panel: NotebookPanel, id: string): NumberedCell | null {
  return cellsOf(panel).find(({ model }) => model.id === id) ?? null;
}

/** The first line that isn't empty. */
export function firstLine({ model }: NumberedCell): string {
  const line = model.sharedModel.source.split('\n').find(one => one.trim() !== '') ?? '';
  return line.trim().slice(0, 80);
}

/** Source and textual outputs; a sentence for a cell that is left out. */
export function cellText({ number, model, isHidden }: NumberedCell): string {
  if (isLeftOut(model)) {
    return `Cell ${number} is ${LEFT_OUT}.`;
  }
  const source = model.sharedModel.source;
  const outputs = isCodeCellModel(model) ? outputText(model, isHidden) : '';
  return shortenMiddle(outputs === '' ? source : `${source}\n\n# Output:\n${outputs}`);
}

/** The error of a cell. */
export interface CellError {
  readonly name: string;
  /** Traceback, without colours; it may be long, and hold masked values: see `coveredError`. */
  readonly text: string;
}

/** The error in a cell's outputs, if there is one that may leave. */
export function errorOf({ model, isHidden }: NumberedCell): CellError | null {
  if (!isCodeCellModel(model) || isLeftOut(model)) {
    return null;
  }
  for (const output of model.outputs.toJSON().reverse()) {
    if (output.output_type === 'error') {
      return {
        name: linesOrText({ ...output }, 'ename').slice(0, 80),
        text: shortenMiddle(errorText({ ...output }, isHidden), MAX_ERROR),
      };
    }
  }
  return null;
}

/** The error of the active cell, else the one that ran last. */
export function lastError(panel: NotebookPanel): { cell: NumberedCell; error: CellError } | null {
  let found: { cell: NumberedCell; error: CellError; at: number } | null = null;
  const [active] = cellsNear(panel);
  for (const cell of cellsNear(panel)) {
    const error = errorOf(cell);
    if (error !== null && isCodeCellModel(cell.model)) {
      const at = cell === active ? Infinity : (cell.model.executionCount ?? 0);
      if (found === null || at > found.at) {
        found = { cell, error, at };
      }
    }
  }
  return found;
}

function outputText({ outputs }: ICodeCellModel, isHidden: IsHidden | null): string {
  const texts = outputs
    .toJSON()
    .map(output => {
      switch (output.output_type) {
        case 'stream':
          return linesOrText({ ...output }, 'text');
        case 'error':
          return errorText({ ...output }, isHidden);
        default:
          return textPlain(output['data']);
      }
    })
    .filter(text => text !== '');
  return withoutColours(texts.join('\n'));
}

function textPlain(data: unknown): string {
  return typeof data === 'object' && data !== null ? linesOrText({ ...data }, 'text/plain') : '';
}

function errorText(output: Readonly<Record<string, unknown>>, isHidden: IsHidden | null): string {
  const traceback = output['traceback'];
  const frames = Array.isArray(traceback) ? traceback.map(String) : [];
  const lines = shownFrames(frames, isHidden).join('\n');
  const words = `${linesOrText(output, 'ename')}: ${linesOrText(output, 'evalue')}`;
  return withoutColours(lines === '' ? words : lines);
}
