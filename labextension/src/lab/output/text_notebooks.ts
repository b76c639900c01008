/**
 * Notebooks that jupytext keeps as text: a script or Markdown, opened as a notebook.
 *
 * Such a file has no outputs and no cell ids.
 */
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';

import { isRecord } from '../../wire/read';
import type { SavedOutput } from '../../wire/results';
import { isPromptCell } from '../page/answer_cells';

type Context = DocumentRegistry.IContext<INotebookModel>;

export function isTextNotebook(path: string): boolean {
  return !path.endsWith('.ipynb');
}

interface CodeCell {
  readonly id: string;
  readonly source: string;
}

/** Assigns turns without a cell to cells with the same sources, in order. */
export function placedBySource(
  savedOutputs: readonly SavedOutput[],
  cells: readonly CodeCell[],
): readonly SavedOutput[] {
  const placed = new Map(savedOutputs.map(({ cell_id: id }) => [id, id]));
  const free = cells.filter(({ id }) => !placed.has(id));
  const here = new Set(cells.map(({ id }) => id));
  return savedOutputs.map(saved => {
    let id = placed.get(saved.cell_id) ?? saved.cell_id;
    if (!here.has(id)) {
      const index = free.findIndex(({ source }) => source === saved.source);
      id = free.splice(index, index < 0 ? 0 : 1)[0]?.id ?? id;
      placed.set(saved.cell_id, id);
    }
    return id === saved.cell_id ? saved : { ...saved, cell_id: id };
  });
}

const MAGIC = 'acp';

/** Has jupytext write prompts as comments, so that a script with prompts is still Python. */
export function commentPrompts(context: Context): void {
  context.saveState.connect((_, state) => {
    const { model } = context;
    if (state !== 'started' || model.collaborative) {
      return;
    }
    const given: unknown = model.getMetadata('jupytext');
    const settings = isRecord(given) ? given : {};
    const magics = textOf(settings['custom_cell_magics']);
    const isNamed = magics.split(',').includes(MAGIC);
    if (!isNamed && isScript(context.localPath, settings) && hasPrompt(model)) {
      const named = magics === '' ? MAGIC : `${magics},${MAGIC}`;
      model.setMetadata('jupytext', { ...settings, custom_cell_magics: named });
    }
  });
}

/** With this setting jupytext would no longer read prompts in Markdown as cells. */
function isScript(path: string, settings: Readonly<Record<string, unknown>>): boolean {
  const formats = `${textOf(settings['formats'])},${isTextNotebook(path) ? path : ''}`;
  return /\bpy\b/.test(formats) && !/\b(?:md|markdown)\b/.test(formats);
}

function hasPrompt({ cells }: INotebookModel): boolean {
  for (const { type, sharedModel } of cells) {
    if (type === 'code' && isPromptCell(sharedModel.source)) {
      return true;
    }
  }
  return false;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/**
 * The saved outputs of an open notebook, each at its cell. Cells of a text notebook are found for
 * all turns together.
 */
export function placedIn(
  { localPath, model }: Context,
  savedOutputs: readonly SavedOutput[],
): readonly SavedOutput[] {
  if (!isTextNotebook(localPath)) {
    return savedOutputs;
  }
  const code = [...model.cells].filter(({ type }) => type === 'code');
  const cells = code.map(({ id, sharedModel }) => ({ id, source: sharedModel.source }));
  return placedBySource(savedOutputs, cells);
}
