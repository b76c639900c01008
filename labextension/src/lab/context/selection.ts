import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import { DocumentWidget } from '@jupyterlab/docregistry';
import { FileEditor } from '@jupyterlab/fileeditor';
import { NotebookPanel } from '@jupyterlab/notebook';
import type { Widget } from '@lumino/widgets';

import type { DraftAttachment } from '../../state/attachments';
import type { Translate } from '../../views';
import { baseOf } from '../page/paths';
import { isLeftOut } from '../page/cell_context';
import { shortenMiddle } from './shorten_middle';

/** The selection in a cell or a text file; `null` for none. */
export function selectionOf(app: JupyterFrontEnd, t: Translate): DraftAttachment | null {
  const widget: unknown = app.shell.currentWidget;
  if (widget instanceof NotebookPanel) {
    const { activeCell, activeCellIndex } = widget.content;
    if (isSelectedLeftOut(widget)) {
      return null;
    }
    const name = t('Cell %1', activeCellIndex + 1);
    return attachment(
      widget.context.localPath,
      name,
      selectedIn(activeCell?.editor ?? null) ?? marked(widget),
      t,
    );
  }
  const editor = widget instanceof DocumentWidget ? editorOf(widget) : null;
  return editor === null
    ? null
    : attachment(
        editor.context.localPath,
        baseOf(editor.context.localPath),
        selectedIn(editor.editor),
        t,
      );
}

function editorOf({ content }: { readonly content: Widget }): FileEditor | null {
  return content instanceof FileEditor ? content : null;
}

interface Selected {
  readonly text: string;
  /** First and last line, from 1. */
  readonly lines: readonly [number, number] | null;
}

function selectedIn(editor: CodeEditor.IEditor | null): Selected | null {
  if (editor === null) {
    return null;
  }
  const { start, end } = editor.getSelection();
  const [from, to] = [editor.getOffsetAt(start), editor.getOffsetAt(end)];
  const text = editor.model.sharedModel.source.slice(Math.min(from, to), Math.max(from, to));
  const lines = [start.line + 1, end.line + 1].sort((a, b) => a - b);
  return text.trim() === '' ? null : { text, lines: [lines[0] ?? 1, lines[1] ?? 1] };
}

/** Whether the selection touches a cell that is left out. */
function isSelectedLeftOut({ content }: NotebookPanel): boolean {
  const range = window.getSelection();
  return content.widgets.some(
    cell =>
      isLeftOut(cell.model) &&
      (cell === content.activeCell ||
        (range !== null && range.rangeCount > 0 && range.containsNode(cell.node, true))),
  );
}

/** The selection in rendered Markdown and in outputs. */
function marked({ node }: Widget): Selected | null {
  const selection = window.getSelection();
  const text = node.contains(selection?.anchorNode ?? null) ? String(selection) : '';
  return text.trim() === '' ? null : { text, lines: null };
}

function attachment(
  path: string,
  name: string,
  selected: Selected | null,
  t: Translate,
): DraftAttachment | null {
  if (selected === null) {
    return null;
  }
  const { text, lines } = selected;
  const label =
    lines === null
      ? t('%1, selection', name)
      : lines[0] === lines[1]
        ? t('%1, line %2', name, lines[0])
        : t('%1, lines %2 to %3', name, ...lines);
  return { kind: 'selection', label, path, text: shortenMiddle(text) };
}
