import { isCodeCellModel } from '@jupyterlab/cells';
import type { ICodeCellModel } from '@jupyterlab/cells';
import { NotebookActions } from '@jupyterlab/notebook';

import { Failure } from '../../delivery/failure';
import { SessionStore } from '../../state/store';
import { cellById, errorOf } from '../../lab/context/cells';
import { coveredError } from '../../lab/context/covered_error';
import { changeText } from '../../lab/documents/merge/notebook_model';
import { ADD_AGENT, GO_TO_PERMISSION, OPEN_SESSION } from '../../lab/page/ids';
import { CellAnnouncer } from '../../lab/review/cells/cell_note';
import { agentOf, withdraw } from '../../lab/proposal/sent_prompt';
import { ask } from './ask';
import type { SentPrompt } from '../../lab/proposal/sent_prompt';
import type { ProposalNoteProps } from '../../lab/proposal/proposal_note';
import type { FixParts } from './fix_parts';
import { drawn, endedIn, isAnother } from './fix_step';
import type { Step, Taken } from './fix_step';
import { CellBackup, showBefore } from './cell_backup';
import { outcomeOf } from '../../lab/proposal/outcome';
import type { Proposal } from '../../lab/proposal/outcome';
import { fixPrompt } from './prompt';
import { commandActions } from '../../views/command_actions';

export { mountProposalNote } from '../../lab/proposal/proposal_note';

/** Placeholder for a session that is not known yet. */
const NOTHING = new SessionStore('');

/** One fix of one cell: from the prompt until the fix is applied, or taken back. */
export class CellFix {
  readonly #parts: FixParts;
  readonly #cellId: string;
  readonly #changed: () => void;
  readonly #end: () => void;
  readonly #announcer: CellAnnouncer;
  #step: Step = { at: 'asking', waits: 'start' };
  #number = 0;
  #kept: CellBackup | null = null;
  #asked: SentPrompt | null = null;
  #answered = ''; // the page learns of the request a moment later
  #over = false;
  #stopFollowing: () => void = () => undefined;
  #hideBefore: () => void = () => undefined;

  /**
   * @param changed - Called when it must be drawn again.
   * @param end - Called when nothing is left to show.
   */
  constructor(parts: FixParts, cellId: string, changed: () => void, end: () => void) {
    this.#parts = parts;
    this.#cellId = cellId;
    this.#changed = changed;
    this.#end = end;
    this.#announcer = new CellAnnouncer(parts.notebook.node);
  }

  get #answer() {
    return commandActions(this.#parts.client.run).answerPermission;
  }

  /** Sends the prompt. */
  start(): void {
    this.#ask().catch(this.#fail);
  }

  /** The cell is gone, and so is its prompt. */
  cellGone(): void {
    this.#withdraw();
    this.dispose();
  }

  dispose(): void {
    this.#over = true;
    this.#stopFollowing();
    this.#asked?.following.dispose();
    this.#hideBefore();
    this.#announcer.dispose();
  }

  async #ask(): Promise<void> {
    const { notebook, t } = this.#parts;
    const model = this.#model();
    const cell = cellById(notebook, this.#cellId);
    const error = cell === null ? null : errorOf(cell);
    if (model === null || error === null) {
      this.#close();
      return;
    }
    if (notebook.content.model?.readOnly === true || model.getMetadata('editable') === false) {
      throw new Failure(t('It is read-only.'), 'read_only');
    }
    this.#kept = new CellBackup(model);
    const language = notebook.content.model?.defaultKernelLanguage || 'python';
    const kernel = notebook.sessionContext.session?.kernel ?? null;
    const text = await coveredError(kernel, error);
    const prompt = await fixPrompt(this.#cellId, this.#kept.source, text, language);
    const asked = await ask(this.#parts, prompt);
    this.#asked = asked;
    if (this.#over) {
      void withdraw(this.#parts.client, asked, null);
      asked.following.dispose();
      return;
    }
    this.#stopFollowing = asked.following.store.subscribe(() => this.#look());
    this.#look();
  }

  /** Applies the turn's current outcome. */
  #look(): void {
    const step = this.#step;
    const [asked, kept] = [this.#asked, this.#kept];
    if (asked === null || kept === null || step.at === 'taken' || step.at === 'ended') {
      return;
    }
    const { t } = this.#parts;
    const taking = step.at === 'proposed' && step.busy ? step.request : null;
    const outcome = outcomeOf(asked.following.store.view, asked.turnId, {
      cellId: this.#cellId,
      asked: kept.source,
    });
    switch (outcome.kind) {
      case 'waits':
        if (taking === null || outcome.for === 'answer') {
          this.#set({ at: 'asking', waits: outcome.for });
        }
        break;
      case 'asks':
        if (outcome.request.requestId !== this.#answered) {
          this.#set({ at: 'asks', tool: outcome.tool, request: outcome.request });
        }
        break;
      case 'proposal':
        if (taking === null || outcome.request?.requestId !== taking.requestId) {
          this.#set({ at: 'proposed', ...outcome, busy: false });
        }
        break;
      case 'edited': {
        const source = this.#model()?.sharedModel.getSource() ?? kept.source;
        if (source === kept.source) {
          this.#set({ at: 'ended', words: t('The cell is unchanged.'), reason: 'undone' });
        } else if (taking !== null) {
          void this.#run(source);
        } else {
          this.#set({ at: 'taken', source, ran: 'no', note: '' });
        }
        break;
      }
      case 'refused':
      case 'nothing':
      case 'failed':
        this.#set(endedIn(outcome, agentOf(asked, t), t));
    }
  }

  async #take({ source, request }: Proposal): Promise<void> {
    const model = this.#model();
    const asked = this.#asked;
    if (model === null || asked === null || this.#isStale(model)) {
      this.#changed();
      return;
    }
    // The user may have run the cell again since.
    this.#kept = new CellBackup(model);
    if (request === null) {
      changeText(model.sharedModel, source);
      await this.#run(source);
      return;
    }
    this.#set({ at: 'proposed', source, request, busy: true });
    const { sessionId } = asked.following.store;
    await this.#answer(sessionId, request.requestId, request.allow);
  }

  /** Runs the cell, and shows its earlier output beside the new one. */
  async #run(source: string): Promise<void> {
    const { notebook, t } = this.#parts;
    const { content, sessionContext } = notebook;
    const index = content.widgets.findIndex(({ model }) => model.id === this.#cellId);
    const cell = content.widgets[index];
    if (cell === undefined) {
      return;
    }
    if ((sessionContext.session?.kernel ?? null) === null) {
      const note = t('No kernel is running, so the cell was not run.');
      this.#set({ at: 'taken', source, ran: 'no', note });
      return;
    }
    this.#hideBefore();
    this.#hideBefore = showBefore(cell, t);
    this.#set({ at: 'taken', source, ran: 'running', note: '' });
    // Running a cell gives it the focus, unless the notebook has none.
    const focused = document.activeElement;
    const own = focused instanceof HTMLElement && cell.node.contains(focused) ? focused : null;
    own?.blur();
    content.deselectAll();
    content.activeCellIndex = index;
    const running = NotebookActions.run(content, sessionContext);
    own?.focus({ preventScroll: true });
    const well = await running.catch(() => false);
    if (this.#step.at === 'taken') {
      this.#set({ ...this.#step, ran: well ? 'well' : 'failed' });
    }
  }

  #takeBack(step: Taken): void {
    const { t } = this.#parts;
    const model = this.#model();
    if (model === null || this.#kept === null) {
      return;
    }
    try {
      this.#kept.restore(model, step.source, t);
    } catch (error) {
      this.#set({ ...step, note: Failure.from(error).message });
      return;
    }
    this.#close();
  }

  #close(): void {
    this.dispose();
    this.#end();
  }

  #dismiss(): void {
    this.#withdraw();
    this.#close();
  }

  #again(): void {
    this.#dismiss();
    this.#parts.again(this.#cellId);
  }

  /** Stops the turn, or declines its proposal; also a turn that goes on after a failure. */
  #withdraw(): void {
    const step = this.#step;
    if (this.#asked !== null && step.at !== 'taken') {
      const request = step.at === 'proposed' ? step.request : null;
      void withdraw(this.#parts.client, this.#asked, request);
    }
  }

  readonly #fail = (error: unknown): void => {
    const { message, reason } = Failure.from(error);
    this.#set({ at: 'ended', words: message, reason });
  };

  #set(step: Step): void {
    if (this.#over) {
      return;
    }
    if (isAnother(step, this.#step)) {
      this.#number += 1;
    }
    this.#step = step;
    this.#changed();
  }

  #model(): ICodeCellModel | null {
    const cells = this.#parts.notebook.content.model?.cells ?? [];
    const model = [...cells].find(({ id }) => id === this.#cellId);
    return model !== undefined && isCodeCellModel(model) ? model : null;
  }

  #isStale(model: ICodeCellModel): boolean {
    return model.sharedModel.getSource() !== this.#kept?.source;
  }

  /** The content of the note. */
  props(): ProposalNoteProps {
    const { app, notebook, rendering, t } = this.#parts;
    const store = this.#asked?.following.store ?? NOTHING;
    const announce = this.#announcer.say;
    const model = this.#model();
    const { sessionId } = store;
    const turnId = this.#asked?.turnId ?? '';
    return {
      label: t('Fix'),
      scene: { store, host: 'panel', actions: null, rendering, t, announce },
      step: `${this.#cellId} ${this.#number}`,
      language: notebook.content.model?.defaultKernelLanguage || 'python',
      ...drawn(this.#step, {
        agent: agentOf(this.#asked, t),
        asked: this.#kept?.source ?? '',
        stale: model !== null && this.#isStale(model),
        acts: {
          take: proposal => void this.#take(proposal).catch(this.#fail),
          answer: (requestId, option) => {
            this.#answered = requestId;
            this.#set({ at: 'asking', waits: 'agent' });
            this.#answer(sessionId, requestId, option).catch(this.#fail);
          },
          run: source => void this.#run(source),
          takeBack: taken => this.#takeBack(taken),
          again: () => this.#again(),
          dismiss: () => this.#dismiss(),
          close: () => this.#close(),
          addAgent: () => void app.commands.execute(ADD_AGENT),
          goToQuestion: () => void app.commands.execute(GO_TO_PERMISSION),
          openSession:
            turnId === ''
              ? null
              : () => void app.commands.execute(OPEN_SESSION, { sessionId, turnId }),
        },
        t,
      }),
    };
  }
}
