import { DocumentWidget } from '@jupyterlab/docregistry';
import type { Widget } from '@lumino/widgets';

export function isDocument(widget: Widget): widget is DocumentWidget {
  return widget instanceof DocumentWidget;
}
