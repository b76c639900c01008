import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import type { Translate } from '../../views';
import { IAcpClient } from '../../lab/page/client';
import { agentIcon } from '../../lab/page/icon';
import { IAcpPanel } from '../../lab/panel/session_panel';
import { IAcpRendering } from '../../lab/rendering/plugin';
import type { FixBars } from './fix_bars';
import { FIX_ERROR } from './fix_parts';

/** Asks an agent for a fix under the error of a cell; the fix is decided on at that cell. */
export const fixPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:fix',
  description: 'Fixes errors of cells at the cell.',
  autoStart: true,
  requires: [IAcpClient, IAcpPanel, INotebookTracker],
  optional: [ICommandPalette, ITranslator, IAcpRendering],
  activate: (
    app: JupyterFrontEnd,
    client: IAcpClient,
    panel: IAcpPanel,
    tracker: INotebookTracker,
    palette: ICommandPalette | null,
    translator: ITranslator | null,
    rendering: IAcpRendering | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const t: Translate = (text, ...values) => trans.__(text, ...values);
    const bars = new WeakMap<NotebookPanel, FixBars>();
    const parts = { app, client, panel, rendering: rendering ?? undefined, t };
    const watch = async (notebook: NotebookPanel) => {
      await notebook.context.ready;
      const code = await import('./fix_bars'); // a page without a notebook has no use for it
      if (!notebook.isDisposed) {
        bars.set(notebook, new code.FixBars({ ...parts, notebook }));
      }
    };
    const start = (notebook: NotebookPanel) =>
      void watch(notebook).catch((error: unknown) => console.error(error));
    tracker.forEach(start);
    tracker.widgetAdded.connect((_, notebook) => start(notebook));
    /** The active cell and its notebook's bars, if there is something to do. */
    const active = () => {
      const notebook = tracker.currentWidget;
      const cell = notebook?.content.activeCell ?? null;
      const own = notebook === null ? undefined : bars.get(notebook);
      return cell !== null && own?.has(cell) === true ? { cell, own } : null;
    };
    app.commands.addCommand(FIX_ERROR, {
      label: trans.__('Fix This Error'),
      caption: trans.__('Ask the agent for a fix of the active cell, or go to the fix'),
      icon: agentIcon,
      isEnabled: () => active() !== null,
      execute: () => {
        const found = active();
        found?.own.act(found.cell);
      },
    });
    palette?.addItem({ command: FIX_ERROR, category: trans.__('Agents') });
  },
};
