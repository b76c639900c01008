import { isCodeCellModel } from '@jupyterlab/cells';
import type { ICellModel, ICodeCellModel } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';

import { LEFT_OUT, isLeftOut } from '../page/cell_context';
import { shortenMiddle } from './shorten_middle';

// eslint-disable-next-line no-control-regex -- terminals colour tracebacks with it
const COLOURS = /\u001b\[[0-9;]*[A-Za-z]/g;

/** A cell and its number, counted from 1. */
export interface NumberedCell {
  readonly number: number;
  readonly model: ICellModel;
}

/** Cells of a notebook, the active one first, then those around it. */
export function cellsNear({ content }: NotebookPanel): NumberedCell[] {
  const active = Math.max(0, content.activeCellIndex);
  const cells = [...(content.model?.cells ?? [])].map((model, index) => ({
    number: index + 1,
    model,
  }));
  return cells.sort((a, b) => Math.abs(a.number - 1 - active) - Math.abs(b.number - 1 - active));
}

export function cellById({ content }: NotebookPanel, id: string): NumberedCell | null {
  const index = [...(content.model?.cells ?? [])].findIndex(cell => cell.id === id);
  const model = content.model?.cells.get(index);
  return index < 0 || model === undefined ? null : { number: index + 1, model };
}

/** The first line that isn't empty. */
export function firstLine({ model }: NumberedCell): string {
  const line = model.sharedModel.source.split('\n').find(one => one.trim() !== '') ?? '';
  return line.trim().slice(0, 80);
}

/** Source and textual outputs; a sentence for a cell that is left out. */
export function cellText({ number, model }: NumberedCell): string {
  if (isLeftOut(model)) {
    return `Cell ${number} is ${LEFT_OUT}.`;
  }
  const source = model.sharedModel.source;
  const outputs = isCodeCellModel(model) ? outputText(model) : '';
  return shortenMiddle(outputs === '' ? source : `${source}\n\n# Output:\n${outputs}`);
}

/** The error of a cell. */
export interface CellError {
  readonly name: string;
  /** Traceback, without colours. */
  readonly text: string;
}

/** The error in a cell's outputs, if there is one that may leave. */
export function errorOf(model: ICellModel): CellError | null {
  if (!isCodeCellModel(model) || isLeftOut(model)) {
    return null;
  }
  for (const output of model.outputs.toJSON().reverse()) {
    if (output.output_type === 'error') {
      return {
        name: string({ ...output }, 'ename').slice(0, 80),
        text: shortenMiddle(errorText({ ...output })),
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
    const error = errorOf(cell.model);
    if (error !== null && isCodeCellModel(cell.model)) {
      const at = cell === active ? Infinity : (cell.model.executionCount ?? 0);
      if (found === null || at > found.at) {
        found = { cell, error, at };
      }
    }
  }
  return found;
}

function outputText({ outputs }: ICodeCellModel): string {
  return outputs
    .toJSON()
    .map(output => {
      switch (output.output_type) {
        case 'stream':
          return string({ ...output }, 'text');
        case 'error':
          return errorText({ ...output });
        default:
          return textPlain(output['data']);
      }
    })
    .filter(text => text !== '')
    .join('\n')
    .replace(COLOURS, '');
}

function textPlain(data: unknown): string {
  return typeof data === 'object' && data !== null ? string({ ...data }, 'text/plain') : '';
}

function errorText(output: Readonly<Record<string, unknown>>): string {
  const traceback = output['traceback'];
  const lines = Array.isArray(traceback) ? traceback.map(String).join('\n') : '';
  const words = `${string(output, 'ename')}: ${string(output, 'evalue')}`;
  return (lines === '' ? words : lines).replace(COLOURS, '');
}

/** Notebooks store texts as one string or as a list of lines. */
function string(from: Readonly<Record<string, unknown>>, key: string): string {
  const value = from[key];
  return Array.isArray(value) ? value.map(String).join('') : typeof value === 'string' ? value : '';
}
