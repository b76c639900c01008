import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { Failure } from '../../delivery/failure';
import { MAX_ATTACHMENTS } from '../../state/attachments';
import type { DraftAttachment } from '../../state/attachments';
import type { Translate } from '../../views';
import { cellById, errorOf } from '../context/cells';
import { errorMention } from '../context/mentions';
import { selectionOf } from '../context/selection';
import { isLeftOut } from '../page/cell_context';
import { agentIcon } from '../page/icon';
import { PANEL_ID } from '../page/ids';
import { OUTPUT, isAsked, outputAt, showButton } from './output_button';
import type { PointedOutput } from './output_button';
import { tell } from './panel_actions';
import { IAcpPanel } from './session_panel';

const ASK_ERROR = 'acp-jupyter:ask-about-error';

const ASK_OUTPUT = 'acp-jupyter:ask-about-output';

const ASK_SELECTION = 'acp-jupyter:ask-about-selection';

/** Commands that attach an error, outputs or a selection to the message. Nothing is sent. */
export const askPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:ask',
  description: 'Asks an agent about an error, an output or a selection.',
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
    if (tracker !== null) {
      addOutputs(app, panel, tracker, t);
    }
    const outputs = tracker === null ? [] : [ASK_OUTPUT];
    for (const command of [ASK_ERROR, ...outputs, ASK_SELECTION]) {
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

/** Adds the button at each output, and its command for the cell that is active. */
function addOutputs(
  app: JupyterFrontEnd,
  panel: IAcpPanel,
  tracker: INotebookTracker,
  t: Translate,
): void {
  const ask = async (
    { notebook, cell: { model } }: Omit<PointedOutput, 'index'>,
    only?: number,
  ) => {
    const cell = cellById(notebook, model.id);
    if (cell === null) {
      return;
    }
    if (isLeftOut(model)) {
      tell(panel, t('Cell %1 is left out, so nothing of it can be asked about.', cell.number));
      return;
    }
    const { outputsOf } = await import('../context/outputs'); // few pages need it
    const all = [...outputsOf(model)].filter(([index]) => only === undefined || index === only);
    const chosen = all.map(([index, output]): DraftAttachment => {
      const isOne = model.outputs.length === 1;
      const number = index + 1;
      return {
        kind: 'output',
        label: isOne
          ? t('Cell %1, output', cell.number)
          : t('Cell %1, output %2', cell.number, number),
        ...{ notebook: notebook.context.localPath, cellId: model.id, number },
        ...output,
      };
    });
    const error = errorOf(cell);
    if (error !== null && (only === undefined || model.outputs.get(only).type === 'error')) {
      chosen.push(errorMention(notebook, model.id, { cell, error }, t).attachment);
    }
    if (chosen.length === 0) {
      tell(panel, t('There is nothing in this output that an agent could read.'));
      return;
    }
    const added = chosen.map(one => panel.attach(one));
    app.shell.activateById(PANEL_ID);
    if (added.includes(false)) {
      tell(panel, t('A message can have %1 attachments.', MAX_ATTACHMENTS));
    }
  };
  const active = () => {
    const notebook = tracker.currentWidget;
    const cell = notebook?.content.activeCell ?? null;
    return notebook === null || !isAsked(cell) || cell.model.outputs.length === 0
      ? null
      : { notebook, cell };
  };
  /** The output that the context menu was opened at. */
  const pointed = () => {
    const node = app.contextMenuHitTest(({ classList }) => classList.contains(OUTPUT));
    return node === undefined ? null : outputAt(tracker, node);
  };
  const start = (output: Omit<PointedOutput, 'index'>, only?: number) =>
    void ask(output, only).catch((error: unknown) => tell(panel, Failure.from(error)));
  app.commands.addCommand(ASK_OUTPUT, {
    label: t('Ask the Agent About This Output'),
    caption: t('Put the outputs of the active cell into a message to the agent'),
    icon: agentIcon,
    isEnabled: ({ pointed: byPointer }) => (byPointer === true ? pointed() : active()) !== null,
    execute: ({ pointed: byPointer }) => {
      const at = byPointer === true ? pointed() : null;
      const found = byPointer === true ? null : active();
      if (at !== null) {
        start(at, at.index);
      } else if (found !== null) {
        start(found);
      }
    },
  });
  showButton(tracker, output => start(output, output.index), t);
}
