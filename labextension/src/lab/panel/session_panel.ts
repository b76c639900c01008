import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { Token } from '@lumino/coreutils';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import type { Client, Following } from '../../delivery/client';
import { Failure } from '../../delivery/failure';
import { Listeners } from '../../delivery/listeners';
import type { DraftAttachment } from '../../state/attachments';
import { SessionStore } from '../../state/store';
import type { UiState } from '../../state/ui';
import type { Actions, PanelProps, Rendering, SendKey, StartsWith, Translate } from '../../views';
import type { AgentEntry, SessionState } from '../../wire/types';
import type { Block } from '../context/content_blocks';
import { acceptFiles, PageContext } from '../context/page_context';
import type { CurrentNotebook } from '../page/current_notebook';
import { agentIcon } from '../page/icon';
import { PANEL_ID } from '../page/ids';
import { mountPanel } from '../page/lazy_views';
import type { LazyMounted } from '../page/lazy_views';
import { badge } from './badge';
import { isStartedHere, newestOf, readyAgent, sessionFor } from './choose_session';
import { panelActions } from './panel_actions';

export type IAcpPanel = Pick<
  SessionPanel,
  | 'attach'
  | 'blocks'
  | 'drawn'
  | 'isVisible'
  | 'newSession'
  | 'node'
  | 'sendKey'
  | 'session'
  | 'sessionFor'
  | 'sessionId'
  | 'shown'
  | 'showPage'
  | 'startsWith'
  | 'ui'
>;

export const IAcpPanel = new Token<IAcpPanel>(
  'acp-jupyter:IAcpPanel',
  'The side panel of agent sessions.',
);

export interface PanelOptions {
  readonly app: JupyterFrontEnd;
  readonly client: Client;
  readonly notebook: CurrentNotebook;
  readonly rendering: Rendering | undefined;
  readonly t: Translate;
}

/** Before there is a session. */
const NO_SESSION = { session_id: '', cwd: '', folder: '', prompt_capabilities: [] };

/** The side panel: it shows the session of the current notebook, or the one picked. */
export class SessionPanel extends Widget {
  /** The id of the session that is shown now; empty for none. */
  readonly shown = new Listeners<string>();
  readonly #options: PanelOptions;
  readonly #actions: Actions;
  readonly #context: PageContext;
  /** Has the draft while no session is shown. */
  readonly #blank = new SessionStore('');
  readonly #stops: (() => void)[];
  /** Created when it is first shown. */
  #mounted: LazyMounted<PanelProps> | null = null;
  #following: Following | null = null;
  #agents: readonly AgentEntry[] | null = null;
  /** Path of the notebook whose own agents are among them. */
  #agentsOf = '';
  #failure: Failure | null = null;
  #startsWith: StartsWith = { agent: '', policy: 'ask', sandbox: null };
  #opened = 0;
  #asked: NonNullable<PanelProps['asked']> | null = null;
  /** Path of the notebook whose session was shown last. */
  #path: string | null = null;

  constructor(options: PanelOptions) {
    super();
    this.#options = options;
    this.id = PANEL_ID;
    this.addClass('acp-SessionPanel');
    this.title.icon = agentIcon;
    this.title.caption = options.t('Agent sessions');
    this.#context = new PageContext({ ...options, session: () => this.session });
    this.#actions = panelActions({
      ...options,
      context: this.#context,
      show: sessionId => this.openSession(sessionId),
      boundNotebook: () => this.#boundNotebook(),
      refreshAgents: () => this.#refreshAgents(),
      panel: this,
    });
    const { client, notebook } = options;
    this.#stops = [
      acceptFiles(this.node, file => void this.attach(file)),
      client.connectionChanged.add(({ state }) => {
        if (state === 'open') {
          void this.#refreshAgents();
        }
        this.#draw();
      }),
      client.sessionsChanged.add(() => this.#sessionsChanged()),
      client.importsChanged.add(() => this.#draw()),
      client.refused.add(({ sessionId, error }) => {
        if (sessionId === this.sessionId) {
          this.#failure = Failure.of(error);
          this.#show(null);
        }
      }),
    ];
    notebook.onChange(() => this.#followNotebook());
    // A cell that serves an agent of its own tells the page nothing.
    this.node.addEventListener('pointerenter', ({ target }) => {
      // Scripts of an output can let it bubble, from hundreds of elements at once.
      if (target === this.node) {
        void this.#refreshAgents();
      }
    });
    void this.#refreshAgents();
    this.#sessionsChanged();
  }

  /** Id of the session shown; empty for none. */
  get sessionId(): string {
    return this.#following?.store.sessionId ?? '';
  }

  /** State of the session shown, if it is loaded. */
  get session(): SessionState | null {
    return this.#following?.store.view.session ?? null;
  }

  /** Resolves once the session is drawn. */
  get drawn(): Promise<void> {
    return this.#mounted?.drawn ?? Promise.resolve();
  }

  openSession(sessionId: string): void {
    this.#path = this.#options.notebook.path;
    this.#opened += 1;
    this.#show(sessionId);
    this.#draw();
  }

  /** Shows all agents, and what each needs, or a page that a feature added. */
  showPage(page: string): void {
    this.#asked = { page };
    this.#draw();
    void this.#refreshAgents();
  }

  /** Attaches something to the message in the composer; returns false if there are too many. */
  attach(attachment: DraftAttachment): boolean {
    return this.ui.attachments.add(attachment);
  }

  /** The content blocks of attachments, as they would be sent now. */
  blocks(attachments: readonly DraftAttachment[]): Promise<Block[]> {
    return this.#context.blocks(attachments, this.session ?? NO_SESSION);
  }

  /** The panel's state: what is open and typed, and its last message. */
  get ui(): UiState {
    return (this.#following?.store ?? this.#blank).ui;
  }

  /** Creates a session with the agent of the one shown, else as the settings say. */
  async newSession(): Promise<void> {
    const { agent, policy, sandbox } = this.#startsWith;
    const shown = this.session?.agent ?? '';
    const own = isStartedHere(shown) ? shown : readyAgent(this.#agents, agent, this.#options.t);
    await this.#actions.createSession?.(own, policy, sandbox, null);
  }

  /** Id of the session for a notebook: the one shown if it is, else its newest, else a new one. */
  sessionFor(path: string): Promise<string> {
    const { client, t } = this.#options;
    return sessionFor(path, this.session, client, this.#startsWith, t);
  }

  get startsWith(): StartsWith {
    return this.#startsWith;
  }

  set startsWith(settings: StartsWith) {
    this.#startsWith = settings;
    this.#draw();
  }

  set sendKey(key: SendKey) {
    this.#options.client.sendKey = key; // widgets read it there, too
    this.#draw();
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this.#stops.forEach(stop => stop());
    this.#mounted?.dispose();
    this.#following?.dispose();
    super.dispose();
  }

  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    const focused = document.activeElement;
    void this.drawn.then(() => {
      // If the user has moved the focus meanwhile, it stays.
      if (document.activeElement === focused || document.activeElement === document.body) {
        this.node.querySelector<HTMLElement>('textarea, [role=textbox], [role=combobox]')?.focus();
      }
    });
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    if (this.isVisible) {
      this.#mount();
    }
  }

  protected override onBeforeShow(message: Message): void {
    super.onBeforeShow(message);
    this.#mount();
  }

  #mount(): void {
    this.#mounted ??= mountPanel(this.node, this.#props());
  }

  /** The session's notebook if it is open; the current one for a session without a notebook. */
  #boundNotebook(): NotebookPanel | null {
    const { notebook } = this.#options;
    const path = this.session?.notebook_path ?? '';
    return path === '' ? notebook.panel : notebook.find(path);
  }

  async #refreshAgents(): Promise<void> {
    const { path } = this.#options.notebook;
    this.#agentsOf = path;
    try {
      const agents = await this.#options.client.run({ name: 'list_agents', notebook_path: path });
      if (path !== this.#agentsOf) {
        return; // those of another notebook are being fetched
      }
      this.#agents = agents;
      this.#failure = null;
    } catch (error) {
      this.#failure = Failure.from(error);
    }
    this.#draw();
  }

  #sessionsChanged(): void {
    const { client, t } = this.#options;
    badge(this.title, client.sessions, t);
    this.#followNotebook();
    this.#draw();
  }

  /**
   * Shows the newest session of the current notebook when that changes or gets its first one.
   *
   * Until the panel is opened it is always the newest: the session of the prompt that led to it.
   */
  #followNotebook(): void {
    const { client, notebook } = this.#options;
    const path = notebook.path;
    const isFree = this.#following === null || this.#mounted === null;
    if (path !== this.#agentsOf) {
      void this.#refreshAgents();
    }
    if (path !== '' && (path !== this.#path || isFree)) {
      const newest = newestOf(client.sessions, path, true);
      if (path !== this.#path || newest !== null) {
        this.#path = path;
        this.#show(newest?.session_id ?? null);
      }
    }
  }

  #show(sessionId: string | null): void {
    if ((sessionId ?? '') === this.sessionId) {
      return;
    }
    const former = this.#following;
    this.#following = sessionId === null ? null : this.#options.client.follow(sessionId);
    former?.dispose();
    this.shown.emit(this.sessionId);
    this.#draw();
  }

  #draw(): void {
    if (!this.isDisposed) {
      this.#mounted?.update(this.#props());
    }
  }

  #props(): PanelProps {
    const { client, t } = this.#options;
    const failure = this.#failure;
    return {
      store: this.#following?.store ?? null,
      opened: this.#opened,
      asked: this.#asked,
      sessions: client.sessions,
      imports: client.imports,
      agents: this.#agents,
      connection: client.connection,
      // A plain object: an error's message is lost when it is copied.
      failure: failure && { message: failure.message, detail: failure.detail },
      actions: this.#actions,
      blank: this.#blank,
      sendKey: this.#options.client.sendKey,
      startsWith: this.#startsWith,
      rendering: this.#options.rendering,
      t,
    };
  }
}
