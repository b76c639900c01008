import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import type { CodeCell } from '@jupyterlab/cells';
import { PageConfig } from '@jupyterlab/coreutils';
import { INotebookCellExecutor, INotebookTracker, runCell } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { IAcpClient } from '../../lab/page/client';
import type { Translate } from '../../views';
import { CellExecutor } from './executor';
import type { RunPrompt } from './executor';
import { RunningPrompts } from './running_prompts';

/** JupyterLab's own executor. Another extension that supplies one disables it. */
const OWN = '@jupyterlab/notebook-extension:cell-executor';

const isReplaced = PageConfig.Extension.isDisabled(OWN);

const INTERRUPT = 'notebook:interrupt-kernel';

/** Prompts of all notebooks, by the client that sends them. */
const running = new WeakMap<IAcpClient, RunningPrompts>();

/**
 * Runs the prompts of notebooks whose kernel doesn't know the magic.
 *
 * It is JupyterLab's executor with that addition. If another extension supplies the executor, it
 * does so still: see `addedPromptsPlugin`.
 */
export const cellExecutorPlugin: JupyterFrontEndPlugin<INotebookCellExecutor> = {
  id: 'acp-jupyter:cell-executor',
  description: 'Runs prompts in notebooks of any kernel.',
  autoStart: true,
  ...(isReplaced ? {} : { provides: INotebookCellExecutor }),
  // Without an executor there would be no notebooks, so nothing is required.
  optional: [IAcpClient, ITranslator],
  activate: (_: JupyterFrontEnd, client: IAcpClient | null, translator: ITranslator | null) =>
    client === null ? { runCell } : executor(runCell, client, translator),
};

/** Adds prompts to the executor of another extension; stops prompts when a kernel is interrupted. */
export const addedPromptsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:added-prompts',
  description: 'Runs prompts in notebooks of any kernel beside other executors of cells.',
  autoStart: true,
  requires: [INotebookCellExecutor, IAcpClient, INotebookTracker],
  optional: [ITranslator],
  activate: (
    app: JupyterFrontEnd,
    present: INotebookCellExecutor,
    client: IAcpClient,
    tracker: INotebookTracker,
    translator: ITranslator | null,
  ) => {
    if (!(present instanceof CellExecutor) && !Object.isFrozen(present)) {
      const other = present.runCell.bind(present);
      present.runCell = executor(other, client, translator).runCell;
    }
    app.commands.commandExecuted.connect((_, { id }) => {
      const cells = id === INTERRUPT ? tracker.currentWidget?.content.widgets : undefined;
      if (cells !== undefined) {
        running.get(client)?.stop(cell => cells.includes(cell));
      }
    });
  },
};

function executor(
  other: INotebookCellExecutor['runCell'],
  client: IAcpClient,
  translator: ITranslator | null,
): CellExecutor {
  const trans = (translator ?? nullTranslator).load('acp_jupyter');
  const t: Translate = (text, ...values) => trans.__(text, ...values);
  const prompts = new RunningPrompts(client);
  running.set(client, prompts);
  const run: RunPrompt = async (cell: CodeCell, options) => {
    const { runPrompt } = await import('./run_prompt');
    return runPrompt({ client, running: prompts, t }, cell, options);
  };
  return new CellExecutor(other, run);
}
