import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { NotebookPanel } from '@jupyterlab/notebook';

import type { Client } from '../../delivery/client';
import { Failure } from '../../delivery/failure';
import { SessionStore } from '../../state/store';
import { textOf } from '../../state/texts';
import type { Translate } from '../../views';
import { withdraw } from '../../lab/proposal/sent_prompt';
import type { SentPrompt } from '../../lab/proposal/sent_prompt';
import type { ProposalNoteProps } from '../../lab/proposal/proposal_note';
import { outcomeOf } from '../../lab/proposal/outcome';
import { cellsOfNotebook } from '../../lab/page/answer_cells';
import { ADD_AGENT, GO_TO_PERMISSION, OPEN_SESSION } from '../../lab/page/ids';
import type { IAcpPanel } from '../../lab/panel/session_panel';
import { CellAnnouncer } from '../../lab/review/cells/cell_note';
import { ownSession } from './own_session';
import { nextCellPrompt } from './prompt';
import { noteProps } from './suggestion_step';
import type { Step } from './suggestion_step';

export { mountProposalNote } from '../../lab/proposal/proposal_note';

/** Longest wait for an answer, including the agent's start. */
const MAX_MS = 120_000;

/** Longest answer; the agent is stopped if it says more. */
const MAX_CHARS = 40_000;

/** Placeholder for a session that is not known yet. */
const NOTHING = new SessionStore('');

/** What a suggestion needs. */
export interface SuggestionParts {
  readonly app: JupyterFrontEnd;
  readonly client: Client;
  readonly panel: IAcpPanel;
  readonly notebook: NotebookPanel;
  readonly t: Translate;
}

/** Callbacks of the widget that shows it. */
export interface SuggestionEvents {
  /** Called to draw it again. */
  readonly changed: () => void;
  /** Called when nothing is left to show. */
  readonly end: () => void;
  /** Called when the user wants another one. */
  readonly again: () => void;
}

/** One suggestion of a cell below another: from the prompt until it is inserted or dismissed. */
export class Suggestion {
  readonly cellId: string;
  readonly #parts: SuggestionParts;
  readonly #events: SuggestionEvents;
  readonly #announcer: CellAnnouncer;
  readonly #timer: ReturnType<typeof setTimeout>;
  /** The sources that the agent got. */
  readonly #told: string;
  #step: Step = { at: 'asking', waits: 'start' };
  #number = 0;
  #asked: SentPrompt | null = null;
  #stopFollowing: () => void = () => undefined;
  #over = false;

  constructor(parts: SuggestionParts, cellId: string, events: SuggestionEvents) {
    this.cellId = cellId;
    this.#parts = parts;
    this.#events = events;
    this.#announcer = new CellAnnouncer(parts.notebook.node);
    this.#told = this.#sources();
    const { t } = parts;
    this.#timer = setTimeout(() => this.#stop(t('No cell was suggested in time.')), MAX_MS);
  }

  /** Sends the prompt. */
  start(): void {
    this.#ask().catch((error: unknown) => {
      const { message, reason } = Failure.from(error);
      this.#set({ at: 'ended', words: message, reason: reason || 'failed' });
    });
  }

  /** Ends it; stops the agent if it still works. */
  dispose(): void {
    if (this.#over) {
      return;
    }
    this.#over = true;
    clearTimeout(this.#timer);
    this.#stopFollowing();
    const asked = this.#asked;
    if (asked !== null) {
      void withdraw(this.#parts.client, asked, null).then(() => asked.following.dispose());
    }
    this.#announcer.dispose();
  }

  async #ask(): Promise<void> {
    const { client, panel, notebook, t } = this.#parts;
    if (notebook.content.model?.readOnly === true) {
      throw new Failure(t('The notebook is read-only.'), 'read_only');
    }
    const prompt = nextCellPrompt(notebook, this.cellId);
    const { startsWith } = panel;
    const following = await ownSession({ client, startsWith, t }, notebook.context.localPath);
    if (this.#isOver()) {
      following.dispose(); // nothing was sent
      return;
    }
    let turnId;
    try {
      const { sessionId } = following.store;
      const sent = { name: 'prompt', session_id: sessionId, prompt, policy: 'deny' } as const;
      turnId = (await client.run(sent)).turn_id;
    } catch (error) {
      following.dispose();
      throw error;
    }
    const asked = { following, turnId };
    if (this.#isOver()) {
      await withdraw(client, asked, null);
      following.dispose();
      return;
    }
    this.#asked = asked;
    this.#stopFollowing = following.store.subscribe(() => this.#look());
    this.#look();
  }

  /** Whether the answer is no longer wanted. A function, since it changes during an `await`. */
  #isOver(): boolean {
    return this.#over || this.#step.at !== 'asking';
  }

  /** Applies the turn's current outcome. */
  #look(): void {
    const asked = this.#asked;
    if (asked === null || this.#step.at !== 'asking') {
      return;
    }
    const { t } = this.#parts;
    const { view } = asked.following.store;
    if (saidChars(asked) > MAX_CHARS) {
      this.#stop(t('The answer was too long for a cell.'));
      return;
    }
    const outcome = outcomeOf(view, asked.turnId, { cellId: '', asked: '' });
    switch (outcome.kind) {
      case 'asks':
        this.#set({ at: 'asking', waits: 'answer' });
        break;
      case 'waits':
        this.#set({ at: 'asking', waits: outcome.for });
        break;
      case 'proposal':
        this.#set({
          at: 'suggested',
          source: outcome.source,
          late: this.#sources() !== this.#told,
        });
        break;
      case 'failed': {
        const stopped = t('The agent was stopped.');
        const words = outcome.stopped ? stopped : outcome.message || t('The turn failed.');
        this.#set({ at: 'ended', words, reason: outcome.stopped ? '' : 'failed' });
        break;
      }
      case 'edited':
      case 'refused':
      case 'nothing':
        this.#set({ at: 'ended', words: t('%1 suggested no cell.', this.#name()), reason: '' });
    }
  }

  #stop(words: string): void {
    if (this.#over || this.#step.at !== 'asking') {
      return;
    }
    this.#set({ at: 'ended', words, reason: 'stopped' });
    if (this.#asked !== null) {
      void withdraw(this.#parts.client, this.#asked, null);
    }
  }

  /** Inserts the suggestion as a cell, without running it. */
  async #insert(source: string): Promise<void> {
    const { notebook, t } = this.#parts;
    const index = notebook.content.widgets.findIndex(({ model }) => model.id === this.cellId);
    const language = notebook.content.model?.defaultKernelLanguage || 'python';
    try {
      notebook.content.activeCellIndex = index;
      await cellsOfNotebook(
        () => notebook,
        () => () => undefined,
        t,
      ).insertBelow(source, language);
    } catch (error) {
      this.#set({ at: 'ended', words: Failure.from(error).message, reason: 'failed' });
      return;
    }
    this.#events.end();
    notebook.content.activeCell?.node.focus({ preventScroll: true });
  }

  #set(step: Step): void {
    if (this.#over) {
      return;
    }
    if (step.at !== this.#step.at) {
      this.#number += 1;
    }
    if (step.at !== 'asking') {
      clearTimeout(this.#timer);
    }
    this.#step = step;
    this.#events.changed();
  }

  #sources(): string {
    const cells = [...(this.#parts.notebook.content.model?.cells ?? [])];
    return JSON.stringify(cells.map(({ id, sharedModel }) => [id, sharedModel.getSource()]));
  }

  #name(): string {
    const { agent_info: agent } = this.#asked?.following.store.view.session ?? {};
    return agent === undefined || agent.name === '' ? this.#parts.t('The agent') : agent.name;
  }

  /** The content of the note. */
  props(): ProposalNoteProps {
    const { app, notebook, t } = this.#parts;
    const store = this.#asked?.following.store ?? NOTHING;
    const { sessionId } = store;
    const turnId = this.#asked?.turnId ?? '';
    const acts = {
      insert: (source: string) => void this.#insert(source),
      unfold: (source: string) => {
        this.#number += 1;
        this.#set({ at: 'suggested', source, late: false });
      },
      dismiss: () => this.#events.end(),
      again: () => this.#events.again(),
      addAgent: () => void app.commands.execute(ADD_AGENT),
      goToQuestion: () => void app.commands.execute(GO_TO_PERMISSION),
      openSession:
        turnId === '' ? null : () => void app.commands.execute(OPEN_SESSION, { sessionId, turnId }),
    };
    return {
      scene: { store, host: 'panel', actions: null, t, announce: this.#announcer.say },
      label: t('Next cell'),
      inCommandMode: this.#step.at === 'suggested',
      step: `${this.cellId} ${this.#number}`,
      language: notebook.content.model?.defaultKernelLanguage || 'python',
      diff: null,
      ...noteProps(this.#step, this.#name(), acts, t),
    };
  }
}

/** How much the agent has said in a turn. */
function saidChars({ following: { store }, turnId }: SentPrompt): number {
  const { view } = store;
  return (view.byTurn.get(turnId) ?? []).reduce((sum, id) => {
    const isSaid = view.items.get(id)?.kind === 'agent_message';
    return sum + (isSaid ? textOf(view, id, 'text').length : 0);
  }, 0);
}
