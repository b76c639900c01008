import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { IAcpClient } from '../page/client';
import { OPEN_SESSION, SETTINGS } from '../page/ids';
import { replaceLostWidgets } from './lost_widgets';
import { NotebookFile } from './notebook_file';
import { OutputSaver } from './output_saver';
import type { SaverNotices } from './output_saver';
import { ShownTurns } from './shown_turns';
import { commentPrompts } from './text_notebooks';

/** Puts turns into the cells they came from as outputs, and saves the notebook. */
export const savedOutputsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:records',
  description: 'Keeps the turns of agents in their notebooks.',
  autoStart: true,
  requires: [IAcpClient, INotebookTracker],
  optional: [ISettingRegistry, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    client: IAcpClient,
    tracker: INotebookTracker,
    registry: ISettingRegistry | null,
    translator: ITranslator | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const words: SaverNotices = {
      confirmInsert: (_record, insert) => {
        Notification.info(
          trans.__('The cell has changed since this turn ran. Insert the result anyway?'),
          { autoClose: false, actions: [{ label: trans.__('Insert'), callback: insert }] },
        );
      },
      reportGone: ({ session_id: sessionId }) => {
        Notification.info(
          trans.__('The cell of this turn was deleted while it ran. The result is in the session.'),
          {
            autoClose: false,
            actions: [
              {
                label: trans.__('Open session'),
                callback: () => void app.commands.execute(OPEN_SESSION, { sessionId }),
              },
            ],
          },
        );
      },
    };
    let maySave = true;
    const read = (settings: ISettingRegistry.ISettings) => {
      maySave = settings.composite['saveTurns'] !== false;
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
    const keep = (panel: NotebookPanel) => {
      const { context } = panel;
      commentPrompts(context);
      void context.ready.then(() => {
        if (!context.isDisposed) {
          const file = new NotebookFile(context, app.serviceManager.contents, () => maySave);
          const keeper = new OutputSaver(client, context, file, words);
          const shown = new ShownTurns(client, panel, file);
          context.disposed.connect(() => {
            keeper.dispose();
            shown.dispose();
          });
          void replaceLostWidgets(client, context).then(
            replaced => (replaced ? file.save() : undefined),
            () => {
              // Not connected, or the kernel doesn't answer, so the text stays.
            },
          );
        }
      });
    };
    tracker.forEach(keep);
    tracker.widgetAdded.connect((_, panel) => keep(panel));
  },
};
