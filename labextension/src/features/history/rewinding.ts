import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification, SessionContextDialogs } from '@jupyterlab/apputils';
import { NotebookActions } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';

import type { Client } from '../../delivery/client';
import { Failure } from '../../delivery/failure';
import { plural } from '../../views/i18n';
import type { Translate } from '../../views/i18n';
import type { RewindReply, SessionState, TurnState } from '../../wire/types';
import type { CurrentNotebook } from '../../lab/page/current_notebook';
import { hasMagic } from '../../lab/page/answer_cells';
import { OPEN_SESSION } from '../../lab/page/ids';

/** Going back to before a turn, with the files and the agent's memory. */
export interface Rewinding {
  /**
   * A new session continues from there; the cell of `turn` is run again in it.
   *
   * Without `files`, files don't change.
   */
  readonly to: (turn: TurnState, targetId: string, files: boolean, from: Clicked) => Promise<void>;
  /** Continues in the session that this one was made from. */
  readonly undo: (sessionId: string) => Promise<void>;
  /** Restarts the kernel and runs the code cells above the active cell, but no prompts. */
  readonly restartKernel: (from: Clicked) => Promise<void>;
}

/** Where an offer was taken: in a cell's output, or in the panel. */
export interface Clicked {
  readonly host: 'cell' | 'panel' | 'file';
  readonly node: Node | null;
  readonly session: SessionState | null;
}

/** A notebook, and the cell in it that a turn came from, if it is there. */
interface Place {
  readonly panel: NotebookPanel;
  readonly cellId: string;
}

/** Going back to before a turn, and its effects in a notebook. */
export function rewindingIn(
  app: JupyterFrontEnd,
  client: Client,
  notebook: CurrentNotebook,
  t: Translate,
): Rewinding {
  const undo = async (sessionId: string) => {
    await showSession(app, await client.run({ name: 'undo_rewind', session_id: sessionId }));
  };
  const restartKernel = async (from: Clicked) => {
    const found = placeOf(notebook, from, '');
    if (found === null) {
      throw new Failure(t('No notebook is open.'), 'notebook');
    }
    await restartAndRun(found);
  };
  return {
    to: async (turn, targetId, files, from) => {
      const cellId = turn.origin?.cell_id ?? '';
      // The offer is gone once it was taken.
      const found = cellId === '' ? null : placeOf(notebook, from, cellId);
      const { session_id } = turn;
      const reply = await client.run({
        ...{ name: 'rewind_session', session_id, turn_id: targetId, files },
      });
      await showSession(app, reply);
      Notification.info(shortWords(reply, t), {
        autoClose: NOTICE_MILLISECONDS,
        actions: [
          {
            label: t('Undo'),
            callback: () => void undo(reply.session.session_id).catch(warn),
          },
          ...(found === null
            ? []
            : [
                {
                  label: t('Restart Kernel…'),
                  caption: t(
                    'Restart the kernel and run the code above, without cells that have %%acp or %acp',
                  ),
                  // The clicked output is replaced when the cell runs again.
                  callback: () => void restartAndRun(found).catch(warn),
                },
              ]),
        ],
      });
      if (found !== null) {
        runAgain(found);
      }
    },
    undo,
    restartKernel,
  };
}

/** The new session says everything and can undo it, too, so the notification need not stay. */
const NOTICE_MILLISECONDS = 20_000;

/** A cell of the notebook; without an id the one that was clicked in. */
function placeOf(
  notebook: CurrentNotebook,
  { host, node, session }: Clicked,
  cellId: string,
): Place | null {
  if (host !== 'cell') {
    const path = session?.notebook_path ?? '';
    const panel = path === '' ? notebook.panel : notebook.find(path);
    return panel && { panel, cellId };
  }
  const panel = notebook.around(node);
  const own = panel?.content.widgets.find(cell => cell.node.contains(node));
  return panel && { panel, cellId: cellId === '' ? (own?.model.id ?? '') : cellId };
}

/** A notification is short; the new session says everything. */
function shortWords({ paths, left }: RewindReply, t: Translate): string {
  return [
    t('Went back.'),
    ...(paths.length > 0
      ? [plural(t, paths.length, '1 file was restored.', '%1 files were restored.')]
      : []),
    ...(left.length > 0
      ? [plural(t, left.length, '1 file was not restored.', '%1 files were not restored.')]
      : []),
    t('Variables in the kernel are unchanged.'),
  ].join(' ');
}

/** Shows the new session, if the panel is open. */
export async function showSession(
  { commands }: JupyterFrontEnd,
  { session }: RewindReply,
): Promise<void> {
  await commands.execute(OPEN_SESSION, {
    sessionId: session.session_id,
    onlyIfShown: true,
  });
}

function warn(error: unknown): void {
  Notification.error(Failure.from(error).message);
}

function runAgain({ panel: { content, sessionContext }, cellId }: Place): void {
  const index = content.widgets.findIndex(cell => cell.model.id === cellId);
  if (index >= 0) {
    content.deselectAll();
    content.activeCellIndex = index;
    void NotebookActions.run(content, sessionContext);
  }
}

/** Restarts the kernel, after JupyterLab's own question, and runs the code above a cell. */
async function restartAndRun({ panel, cellId }: Place): Promise<void> {
  const { content, sessionContext } = panel;
  if (!(await new SessionContextDialogs().restart(sessionContext))) {
    return;
  }
  const own = content.widgets.findIndex(cell => cell.model.id === cellId);
  const here = own < 0 ? content.activeCellIndex : own;
  const above = content.widgets
    .slice(0, here)
    // It would send a prompt again, or take a turn back.
    .filter(({ model }) => model.type === 'code' && !hasMagic(model.sharedModel.source));
  const [first] = above;
  if (first === undefined) {
    return;
  }
  content.deselectAll();
  content.activeCellIndex = content.widgets.indexOf(first);
  for (const cell of above) {
    content.select(cell);
  }
  await NotebookActions.run(content, sessionContext);
  content.deselectAll();
  content.activeCellIndex = here;
}
