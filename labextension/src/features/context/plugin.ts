import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import type { Cell } from '@jupyterlab/cells';
import { INotebookTracker } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { Listeners } from '../../delivery/listeners';
import type { Translate } from '../../views';
import type { NotebookContext, SessionState } from '../../wire/types';
import { contextOf, setContext } from '../../lab/page/cell_context';
import type { CellContext } from '../../lab/page/cell_context';
import { showMark } from '../../lab/documents/cell_marks';
import { forEachCell } from '../../lab/documents/each_cell';
import { addToViews } from '../../lab/page/additions';
import { IAcpClient } from '../../lab/page/client';
import { drawnIcon } from '../../lab/page/icon';
import { IAcpPanel } from '../../lab/panel/session_panel';
import { PromptLine } from './prompt_line';

const PIN = 'acp-jupyter:pin-cell';

const LEAVE_OUT = 'acp-jupyter:leave-out-cell';

const MARK = 'acp-ContextMark';

/** Pause after the last change of a notebook. */
const PAUSE_MS = 300;

/** Lets the user pin cells to all prompts of their notebook, and leave cells out of everything. */
export const contextPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:context',
  description: 'Pins cells to the prompts of a notebook, and leaves cells out.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [IAcpClient, IAcpPanel, ICommandPalette, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    client: IAcpClient | null,
    panel: IAcpPanel | null,
    palette: ICommandPalette | null,
    translator: ITranslator | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const t: Translate = (text, ...values) => trans.__(text, ...values);
    const icons = { pinned: drawnIcon('pin'), 'left-out': drawnIcon('left_out') };
    const add = (command: string, context: CellContext, label: string, caption: string) => {
      app.commands.addCommand(command, {
        label,
        caption,
        icon: icons[context],
        isToggleable: true,
        isToggled: () => isSet(tracker.activeCell, context),
        isEnabled: () =>
          tracker.activeCell !== null && tracker.currentWidget?.content.model?.readOnly === false,
        execute: () => {
          const content = tracker.currentWidget?.content;
          if (content === undefined || content.model?.readOnly !== false) {
            return;
          }
          const chosen = content.widgets.filter(cell => content.isSelectedOrActive(cell));
          const all = chosen.every(cell => isSet(cell, context));
          chosen.forEach(({ model }) => setContext(model, all ? null : context));
        },
      });
      palette?.addItem({ command, category: trans.__('Agents') });
    };
    add(
      PIN,
      'pinned',
      trans.__('Pin Cell to Prompts'),
      trans.__('Pin: this cell goes along with each prompt of this notebook'),
    );
    add(
      LEAVE_OUT,
      'left-out',
      trans.__('Leave Cell Out of Prompts'),
      trans.__('Leave out: no agent gets this cell, neither with a prompt nor by a notebook tool'),
    );
    const words = {
      pinned: t('Pinned: it goes along with each prompt of this notebook'),
      'left-out': t('Left out: no agent gets this cell'),
    };
    const changed = () => {
      app.commands.notifyCommandChanged(PIN);
      app.commands.notifyCommandChanged(LEAVE_OUT);
    };
    forEachCell(tracker, cell => {
      const context = contextOf(cell.model);
      const mark = showMark(cell, MARK, context === null ? '' : words[context]);
      if (mark !== null && context !== null && mark.dataset['context'] !== context) {
        mark.dataset['context'] = context;
        icons[context].element({ container: mark });
      }
      if (cell === tracker.activeCell) {
        changed();
      }
    });
    tracker.activeCellChanged.connect(changed);
    const edited = new Listeners<null>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tell = () => {
      clearTimeout(timer); // outputs and typing change a notebook many times a second
      timer = setTimeout(() => edited.emit(null), PAUSE_MS);
    };
    const watch = ({ context, content }: NotebookPanel) => {
      void context.ready.then(() => content.model?.contentChanged.connect(tell));
    };
    tracker.forEach(watch);
    tracker.widgetAdded.connect((_, notebook) => watch(notebook));
    const line = new PromptLine(tracker, t);
    edited.add(() => line.plan());
    if (client === null || panel === null) {
      return;
    }
    tracker.currentChanged.connect(tell);
    addToViews(async () => {
      const [{ preview }, { WentAlong }] = await Promise.all([
        import(/* webpackChunkName: "views" */ './view/preview'),
        import(/* webpackChunkName: "views" */ './view/went_along'),
      ]);
      return {
        turnFooter: WentAlong,
        composer: preview({
          blocks: attachments => panel.blocks(attachments),
          pinned: session => pinnedIn(client, tracker, session),
          onChange: listener => edited.add(listener),
        }),
      };
    });
  },
};

/** What is pinned in the notebook of a session, or in the current one before there is a session. */
async function pinnedIn(
  client: IAcpClient,
  tracker: INotebookTracker,
  session: SessionState | null,
): Promise<NotebookContext> {
  const path = session?.notebook_path ?? tracker.currentWidget?.context.localPath ?? '';
  const cells = tracker.find(({ context }) => context.localPath === path)?.content.model?.cells;
  // The server is asked only if there may be something.
  const mayBe = cells === undefined || [...cells].some(cell => contextOf(cell) === 'pinned');
  return path === '' || !mayBe
    ? { cells: [], pinned: [], too_many: 0 }
    : client.run({
        name: 'get_context',
        notebook_path: path,
        session_id: session?.session_id ?? '',
      });
}

function isSet(cell: Cell | null, context: CellContext): boolean {
  return cell !== null && !cell.isDisposed && contextOf(cell.model) === context;
}
