import type { CodeCell, ICodeCellModel } from '@jupyterlab/cells';
import type { INotebookCellExecutor } from '@jupyterlab/notebook';

import type { Client } from '../../delivery/client';
import { Failure } from '../../delivery/failure';
import { outputOf } from '../../lab/output/notebook_file';
import { cellOfOutput } from '../../lab/output/turn_renderer';
import type { Translate } from '../../views';
import type { TurnState } from '../../wire/types';
import type { RunPrompt } from './executor';
import { askKernel, knowsMagic } from './kernel_words';
import { RunningPrompts } from './running_prompts';

/** nbclient's tag: nbconvert, papermill and `jupyter execute` pass the cell over. */
const SKIP = 'skip-execution';

interface PromptParts {
  readonly client: Client;
  readonly running: RunningPrompts;
  readonly t: Translate;
}

/** Runs the prompts of a page's notebooks. */
export class PromptRunner {
  readonly #parts: PromptParts;

  constructor(client: Client, t: Translate) {
    this.#parts = { client, running: new RunningPrompts(client), t };
  }

  /** Runs a prompt, or leaves it to `other` if the kernel knows it. */
  readonly run: RunPrompt = async (cell, options, other) => {
    const kernel = options.sessionContext?.session?.kernel ?? null;
    return kernel !== null && (await knowsMagic(kernel))
      ? other(options)
      : runPrompt(this.#parts, cell, options);
  };

  /** Stops the prompts of some cells. */
  stop(isOne: (cell: CodeCell) => boolean): void {
    this.#parts.running.stop(isOne);
  }
}

/** Sends the prompt of a cell and shows its turn; resolves to whether the turn ended well. */
async function runPrompt(
  parts: PromptParts,
  cell: CodeCell,
  options: INotebookCellExecutor.IRunCellOptions,
): Promise<boolean> {
  const { model } = cell;
  options.onCellExecutionScheduled({ cell });
  model.sharedModel.transact(() => {
    model.clearExecution();
    model.trusted = true; // what follows comes from here
    cell.outputHidden = false;
    tag(model);
  }, false);
  let success = false;
  try {
    success = await send(parts, cell, options);
  } catch (error) {
    const { message, detail } = Failure.from(error);
    if (!cell.isDisposed) {
      const traceback = [message, ...(detail === '' ? [] : [detail])];
      model.outputs.add({ output_type: 'error', ename: '', evalue: message, traceback });
    }
  }
  if (!cell.isDisposed) {
    options.onCellExecuted({ cell, success });
  }
  return success;
}

async function send(
  { client, running, t }: PromptParts,
  cell: CodeCell,
  { sessionContext }: INotebookCellExecutor.IRunCellOptions,
): Promise<boolean> {
  const panel = cellOfOutput(cell.outputArea)?.panel;
  if (panel === undefined) {
    throw new Failure(t('This cell is in no notebook that can be saved.'), 'no_notebook');
  }
  const { model } = cell;
  const source = model.sharedModel.getSource();
  const { help, names } = await client.run({ name: 'read_prompt_cell', source });
  if (help !== '') {
    print(model, help);
    return true;
  }
  const kernel = sessionContext?.session?.kernel ?? null;
  const { variables, unknown } = await askKernel(kernel, names, t);
  const sent = await client.run({
    ...{ name: 'run_prompt_cell', source, variables, unknown },
    notebook_path: panel.context.localPath,
    cell_id: model.id,
  });
  print(model, [sent.words, unknown].filter(Boolean).join('\n'));
  const { outputs } = await client.run({
    ...{ name: 'get_records', notebook_path: panel.context.localPath, turn_ids: [sent.turn_id] },
  });
  const shown = outputs[0];
  if (shown !== undefined && !cell.isDisposed) {
    model.outputs.add(outputOf(shown));
  }
  if (sent.background) {
    return true;
  }
  const turn = await running.untilDone(cell, sent);
  return turn !== null && isWell(turn);
}

function isWell({ stop_reason: reason }: TurnState): boolean {
  return reason !== 'error' && reason !== 'cancelled';
}

function print(model: ICodeCellModel, words: string): void {
  if (words !== '') {
    model.outputs.add({ output_type: 'stream', name: 'stdout', text: `${words}\n` });
  }
}

function tag(model: ICodeCellModel): void {
  const tags: unknown = model.getMetadata('tags');
  const present = Array.isArray(tags) ? tags.map(String) : [];
  if (!present.includes(SKIP)) {
    model.setMetadata('tags', [...present, SKIP]);
  }
}
