import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, Notification } from '@jupyterlab/apputils';
import type { Cell } from '@jupyterlab/cells';
import { INotebookTracker, NotebookActions } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import type { Translate } from '../../views';
import { isPromptCell } from '../../lab/page/answer_cells';
import { IAcpClient } from '../../lab/page/client';
import { agentIcon } from '../../lab/page/icon';
import { SETTINGS } from '../../lab/page/ids';
import { IAcpPanel } from '../../lab/panel/session_panel';
import type { SuggestionBar } from './suggestion_bar';

const SUGGEST_NEXT = 'acp-jupyter:suggest-next-cell';

/** Pause between a run and a suggestion: several cells may run one after the other. */
const PAUSE_MS = 700;

/** Asks an agent for the next cell of a notebook: by a command, or after each run if that is set. */
export const nextCellPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:next-cell',
  description: 'Suggests the next cell of a notebook.',
  autoStart: true,
  requires: [IAcpClient, IAcpPanel, INotebookTracker],
  optional: [ICommandPalette, ISettingRegistry, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    client: IAcpClient,
    panel: IAcpPanel,
    tracker: INotebookTracker,
    palette: ICommandPalette | null,
    registry: ISettingRegistry | null,
    translator: ITranslator | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const t: Translate = (text, ...values) => trans.__(text, ...values);
    const bars = new WeakMap<NotebookPanel, SuggestionBar>();
    const suggest = async (notebook: NotebookPanel, cellId: string) => {
      let code;
      try {
        code = await import('./suggestion_bar');
      } catch (error) {
        console.error(error);
        Notification.error(t('The view could not be loaded. Reload the page.'));
        return;
      }
      if (!notebook.isDisposed) {
        const parts = { app, client, panel, notebook, t };
        const bar = bars.get(notebook) ?? new code.SuggestionBar(parts);
        bars.set(notebook, bar);
        bar.suggest(cellId);
      }
    };
    app.commands.addCommand(SUGGEST_NEXT, {
      label: trans.__('Suggest Next Cell'),
      caption: trans.__(
        'Ask the agent for a cell below the active one, or go to it. This costs a prompt',
      ),
      icon: agentIcon,
      isEnabled: () => (tracker.currentWidget?.content.activeCell ?? null) !== null,
      execute: async () => {
        const notebook = tracker.currentWidget;
        const cell = notebook?.content.activeCell ?? null;
        if (notebook !== null && cell !== null && bars.get(notebook)?.focus() !== true) {
          await suggest(notebook, cell.model.id);
        }
      },
    });
    palette?.addItem({ command: SUGGEST_NEXT, category: trans.__('Agents') });

    let afterRun = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const plan = (notebook: NotebookPanel, cell: Cell) => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const isFree = cell.isDisposed || notebook.isDisposed ? false : isIdle(notebook);
        if (afterRun && isFree && notebook === tracker.currentWidget) {
          void suggest(notebook, cell.model.id);
        }
      }, PAUSE_MS);
    };
    NotebookActions.executed.connect((_, { notebook: content, cell, success }) => {
      clearTimeout(timer);
      const notebook = tracker.find(each => each.content === content);
      const isCode =
        cell.model.type === 'code' && !isPromptCell(cell.model.sharedModel.getSource());
      if (afterRun && success && isCode && notebook !== undefined) {
        plan(notebook, cell);
      }
    });
    const read = ({ composite }: ISettingRegistry.ISettings) => {
      afterRun = composite['suggestNextCell'] === true;
    };
    void registry?.load(SETTINGS).then(
      settings => {
        settings.changed.connect(read);
        read(settings);
      },
      () => {
        // Without settings the default applies.
      },
    );
  },
};

/** Whether no cell of a notebook runs or waits. */
function isIdle({ sessionContext }: NotebookPanel): boolean {
  return sessionContext.session?.kernel?.status === 'idle';
}
