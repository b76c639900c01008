import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import type { Client } from '../../delivery/client';
import { Failure } from '../../delivery/failure';
import type { Rendering, Translate } from '../../views';
import type { HistoryProps, Shown } from './view';
import type { FileThen, GetHistory, History, HistoryStep, RewindReply } from '../../wire/types';
import { agentIcon } from '../../lab/page/icon';
import { lazyView } from '../../lab/page/lazy_views';
import type { LazyMounted } from '../../lab/page/lazy_views';
import { baseOf } from '../../lab/page/paths';
import { showSession } from './rewinding';

const mountHistory = lazyView(async () => (await import('./view')).mountHistory);

/** A moment is loaded once the slider has rested for this time. */
const REST_MS = 120;

/** Number of moments that are cached for going back and forth. */
const MAX_KEPT = 10;

interface HistoryParts {
  readonly app: JupyterFrontEnd;
  readonly client: Client;
  readonly rendering: Rendering | undefined;
  readonly t: Translate;
}

let count = 0;

/** The history of one notebook in the main area: a slider over its turns, read step by step. */
export class HistoryWidget extends Widget {
  readonly #parts: HistoryParts;
  readonly #mounted: LazyMounted<HistoryProps>;
  readonly #stops: (() => void)[];
  readonly #kept = new Map<string, Shown>();
  #path: string;
  #steps: readonly HistoryStep[] | null = null;
  #place = 0;
  #shown: Shown | null = null;
  #failure = '';
  /** The last restore, while it can be undone here. */
  #restored: { readonly words: string; readonly sessionId: string; readonly steps: number } | null =
    null;
  /** Number of requests: only the answer to the newest counts. */
  #asked = 0;
  #known = '';
  #isLoading = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(panel: NotebookPanel, parts: HistoryParts) {
    super();
    const { context } = panel;
    this.#path = context.localPath;
    this.#parts = parts;
    count += 1;
    this.id = `acp-history-${count}`;
    this.addClass('acp-History');
    this.title.icon = agentIcon;
    this.title.closable = true;
    this.#name();
    this.#mounted = mountHistory(this.node, this.#props());
    context.pathChanged.connect(this.#moved, this);
    this.#stops = [
      () => context.pathChanged.disconnect(this.#moved, this),
      parts.client.sessionsChanged.add(() => this.#look()),
    ];
    this.#known = this.#states();
    void this.#list();
  }

  /** Path of the notebook, which may have been renamed. */
  get path(): string {
    return this.#path;
  }

  override dispose(): void {
    if (!this.isDisposed) {
      clearTimeout(this.#timer);
      this.#stops.forEach(stop => stop());
      this.#mounted.dispose();
      super.dispose();
    }
  }

  /** Focuses the slider, so that the arrow keys move it. */
  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    void this.#mounted.drawn.then(() => {
      const { activeElement: active } = document;
      if (this.isVisible && (active === this.node || !this.node.contains(active))) {
        const slider = this.node.querySelector<HTMLElement>('input[type=range]');
        (slider ?? this.node.querySelector<HTMLElement>('.acp'))?.focus();
      }
    });
  }

  #moved(_: unknown, path: string): void {
    this.#path = this.#parts.app.serviceManager.contents.localPath(path);
    this.#name();
    void this.#list();
  }

  #name(): void {
    this.title.label = this.#parts.t('History of %1', baseOf(this.#path));
    this.title.caption = this.#path;
  }

  /** Loads the turns again if one has begun or ended, or the conversation went back. */
  #look(): void {
    const states = this.#states();
    if (states !== this.#known) {
      this.#known = states;
      void this.#list();
    }
  }

  #states(): string {
    const ids = new Set(this.#steps?.map(step => step.session_id));
    return (this.#parts.client.sessions ?? [])
      .filter(each => each.notebook_path === this.#path || ids.has(each.session_id))
      .map(each => `${each.session_id} ${each.status} ${each.continues_in}`)
      .join();
  }

  async #list(): Promise<void> {
    const asked = ++this.#asked;
    try {
      const { steps } = await this.#ask({});
      if (asked !== this.#asked || this.isDisposed) {
        return;
      }
      const wasNewest = this.#steps === null || this.#place === this.#steps.length;
      this.#place = wasNewest ? steps.length : Math.min(this.#place, steps.length);
      this.#steps = steps;
      this.#known = this.#states();
      this.#failure = '';
      if (this.#restored !== null && steps.length > this.#restored.steps) {
        this.#restored = null;
      }
      await this.#load();
    } catch (error) {
      this.#fail(asked, error);
    }
  }

  #go(place: number): void {
    this.#place = Math.max(0, Math.min(place, this.#steps?.length ?? 0));
    this.#isLoading = true;
    this.#draw();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#load(), REST_MS);
  }

  #ask(what: Omit<GetHistory, 'name' | 'notebook_path'>): Promise<History> {
    const { run } = this.#parts.client;
    return run({ ...what, name: 'get_history', notebook_path: this.#path });
  }

  async #load(): Promise<void> {
    const asked = ++this.#asked;
    const before = this.#place === 0;
    const step = this.#steps?.[before ? 0 : this.#place - 1];
    if (step === undefined) {
      this.#show(null);
      return;
    }
    const key = `${step.turn_id} ${before}`;
    const known = this.#kept.get(key);
    if (known !== undefined) {
      this.#show(known);
      return;
    }
    this.#isLoading = true;
    this.#draw();
    try {
      const { moment } = await this.#ask({ turn_id: step.turn_id, before });
      if (asked !== this.#asked || moment === null) {
        return;
      }
      const shown = { turnId: step.turn_id, moment };
      if (moment.words === '') {
        this.#kept.set(key, shown);
        [...this.#kept.keys()].slice(0, -MAX_KEPT).forEach(each => this.#kept.delete(each));
      }
      this.#show(shown);
    } catch (error) {
      this.#fail(asked, error);
    }
  }

  #show(shown: Shown | null): void {
    this.#shown = shown;
    this.#isLoading = false;
    this.#failure = '';
    this.#draw();
  }

  #fail(asked: number, error: unknown): void {
    if (asked === this.#asked) {
      this.#shown = null;
      this.#isLoading = false;
      this.#failure = Failure.from(error).message;
      this.#draw();
    }
  }

  async #restore(): Promise<void> {
    const [target, ...later] = this.#steps?.slice(this.#place) ?? [];
    if (target === undefined) {
      return;
    }
    const others = later.filter(step => step.session_id !== target.session_id);
    const reply = await this.#parts.client.run({
      ...{ name: 'rewind_session', session_id: target.session_id, turn_id: target.turn_id },
      also: others.map(step => step.turn_id),
    });
    const sessionId = reply.session.session_id;
    this.#restored = { words: reply.words, sessionId, steps: this.#place };
    await this.#went(reply);
  }

  async #undo(): Promise<void> {
    if (this.#restored !== null) {
      const reply = await this.#parts.client.run({
        ...{ name: 'undo_rewind', session_id: this.#restored.sessionId },
      });
      this.#restored = null;
      await this.#went(reply);
    }
  }

  async #went(reply: RewindReply): Promise<void> {
    await showSession(this.#parts.app, reply);
    await this.#list();
  }

  readonly #getFile = async (turnId: string, path: string): Promise<FileThen> => {
    const { file } = await this.#ask({ turn_id: turnId, path });
    if (file === null) {
      throw new Failure(this.#parts.t('This file is not kept.'), 'history');
    }
    return file;
  };

  #draw(): void {
    if (!this.isDisposed) {
      this.#mounted.update(this.#props());
    }
  }

  #props(): HistoryProps {
    return {
      name: baseOf(this.#path),
      steps: this.#steps,
      place: this.#place,
      shown: this.#shown,
      loading: this.#isLoading,
      failure: this.#failure,
      restored: this.#restored?.words ?? '',
      go: place => this.#go(place),
      again: () => void this.#list(),
      restore: () => this.#restore(),
      undo: () => this.#undo(),
      getFile: this.#getFile,
      rendering: this.#parts.rendering,
      t: this.#parts.t,
    };
  }
}
