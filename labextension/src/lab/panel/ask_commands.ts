import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import type { Translate } from '../../views';
import { cellById, errorOf } from '../context/cells';
import { errorMention } from '../context/mentions';
import { selectionOf } from '../context/selection';
import { agentIcon } from '../page/icon';
import { PANEL_ID } from '../page/ids';
import { IAcpPanel } from './session_panel';

const ASK_ERROR = 'acp-jupyter:ask-about-error';

const ASK_SELECTION = 'acp-jupyter:ask-about-selection';

/** Commands that attach an error or a selection to the message in the composer. Nothing is sent. */
export const askPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:ask',
  description: 'Asks an agent about an error or a selection.',
  autoStart: true,
  requires: [IAcpPanel],
  optional: [INotebookTracker, ICommandPalette, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    panel: IAcpPanel,
    tracker: INotebookTracker | null,
    palette: ICommandPalette | null,
    translator: ITranslator | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const t: Translate = (text, ...values) => trans.__(text, ...values);
    const activeError = () => {
      const notebook = tracker?.currentWidget ?? null;
      const id = notebook?.content.activeCell?.model.id;
      const cell = notebook === null || id === undefined ? null : cellById(notebook, id);
      const error = cell === null ? null : errorOf(cell);
      return notebook === null || cell === null || error === null
        ? null
        : errorMention(notebook, cell.model.id, { cell, error }, t);
    };
    app.commands.addCommand(ASK_ERROR, {
      label: trans.__('Ask the Agent About This Error'),
      icon: agentIcon,
      isVisible: () => activeError() !== null,
      isEnabled: () => activeError() !== null,
      execute: () => {
        const error = activeError();
        if (error !== null) {
          panel.attach(error.attachment);
          app.shell.activateById(PANEL_ID);
        }
      },
    });
    app.commands.addCommand(ASK_SELECTION, {
      label: trans.__('Ask the Agent About the Selection'),
      icon: agentIcon,
      isEnabled: () => selectionOf(app, t) !== null,
      execute: () => {
        const selection = selectionOf(app, t);
        if (selection !== null) {
          panel.attach(selection);
          app.shell.activateById(PANEL_ID);
        }
      },
    });
    for (const command of [ASK_ERROR, ASK_SELECTION]) {
      palette?.addItem({ command, category: trans.__('Agents') });
    }
    const changed = () => app.commands.notifyCommandChanged(ASK_ERROR);
    tracker?.activeCellChanged.connect((_, cell) => {
      changed();
      if (cell?.model.type === 'code') {
        cell.model.contentChanged.connect(changed);
        cell.model.stateChanged.connect(changed);
      }
    });
  },
};
