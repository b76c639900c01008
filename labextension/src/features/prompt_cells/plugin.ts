import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import type { ISessionContext } from '@jupyterlab/apputils';
import { PageConfig } from '@jupyterlab/coreutils';
import { INotebookCellExecutor, INotebookTracker, runCell } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { IAcpClient } from '../../lab/page/client';
import type { Translate } from '../../views';
import { CellExecutor } from './executor';
import type { RunPrompt } from './executor';
import { learnImplementation } from './implementations';
import type { PromptRunner } from './run_prompt';

/** JupyterLab's own executor. Another extension that supplies one disables it. */
const OWN = '@jupyterlab/notebook-extension:cell-executor';

const isReplaced = PageConfig.Extension.isDisabled(OWN);

const INTERRUPT = 'notebook:interrupt-kernel';

/** What runs the prompts of each client, once there was one. */
const runners = new WeakMap<IAcpClient, PromptRunner>();

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
    const learn = ({ session }: ISessionContext) => {
      const kernel = session?.kernel ?? null;
      if (kernel !== null) {
        learnImplementation(kernel).catch(() => undefined); // it was shut down
      }
    };
    const watch = ({ sessionContext }: NotebookPanel) => {
      sessionContext.kernelChanged.connect(learn);
      learn(sessionContext);
    };
    tracker.forEach(watch);
    tracker.widgetAdded.connect((_, panel) => watch(panel));
    app.commands.commandExecuted.connect((_, { id }) => {
      const cells = id === INTERRUPT ? tracker.currentWidget?.content.widgets : undefined;
      if (cells !== undefined) {
        runners.get(client)?.stop(cell => cells.includes(cell));
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
  const run: RunPrompt = async (...prompt) => {
    const code = await import('./run_prompt'); // most pages have no such notebook
    const runner = runners.get(client) ?? new code.PromptRunner(client, t);
    runners.set(client, runner);
    return runner.run(...prompt);
  };
  return new CellExecutor(other, run);
}
