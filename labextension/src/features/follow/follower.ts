import type { ILabShell, JupyterFrontEnd } from '@jupyterlab/application';
import type { ICellModel } from '@jupyterlab/cells';
import { PageConfig } from '@jupyterlab/coreutils';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';

import type { Client, Following } from '../../delivery/client';
import { isRecord, text } from '../../wire/read';
import { scrollToCell } from '../../lab/page/current_notebook';
import { Preview, reveal } from './preview';
import { onUserInput } from './user_input';
import { newestLocation } from './agent_location';
import type { AgentLocation } from './agent_location';

/** Shortest time at one place, in milliseconds. */
const STAY_MS = 400;

/** Marks the cell at which the agent works. */
const MARK = 'acp-mod-followed';

interface CellsChange {
  readonly type: string;
  readonly newValues: readonly ICellModel[];
}

export interface FollowerOptions {
  readonly app: JupyterFrontEnd;
  readonly client: Client;
  readonly tracker: INotebookTracker;
  /** `null` in Notebook 7, where each document has its own page. */
  readonly shell: ILabShell | null;
  readonly sessionId: string;
  /** Called when the user does something else while the agent works. */
  readonly pause: () => void;
}

/** Scrolls the page to where the agent of one session works. */
export class Follower {
  readonly #options: FollowerOptions;
  readonly #following: Following;
  readonly #preview: Preview | null;
  readonly #stops: (() => void)[];
  #notebook: NotebookPanel | null = null;
  #last = '';
  #next: AgentLocation | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #busy = false;
  #marked: HTMLElement | null = null;
  #disposed = false;

  constructor(options: FollowerOptions) {
    const { app, client, shell, sessionId, pause } = options;
    this.#options = options;
    this.#following = client.follow(sessionId);
    this.#preview = shell === null ? null : new Preview(app, shell);
    const { store } = this.#following;
    const goOn = () => {
      // What the user does between turns, such as starting one, doesn't pause following.
      if ((store.view.session?.active_turn_id ?? null) !== null) {
        pause();
      }
    };
    this.#stops = [store.subscribe(() => this.#look()), onUserInput(app, goOn)];
    this.#look();
  }

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
    this.#stops.forEach(stop => stop());
    this.#watch(null);
    this.#mark(null);
    this.#following.dispose();
  }

  #look(): void {
    const { view } = this.#following.store;
    this.#watch(this.#find(view.session?.notebook_path ?? ''));
    if (view.session?.active_turn_id === null) {
      this.#mark(null);
    }
    this.#plan(newestLocation(view, PageConfig.getOption('serverRoot')));
  }

  #find(path: string): NotebookPanel | null {
    const { tracker } = this.#options;
    return path === '' ? null : (tracker.find(({ context }) => context.localPath === path) ?? null);
  }

  /** A new cell is found by its mark, since its id is made while the tool works. */
  #watch(notebook: NotebookPanel | null): void {
    if (notebook !== this.#notebook) {
      this.#notebook?.content.model?.cells.changed.disconnect(this.#added, this);
      this.#notebook = notebook;
      notebook?.content.model?.cells.changed.connect(this.#added, this);
    }
  }

  #added(_: unknown, { type, newValues }: CellsChange): void {
    const { session } = this.#following.store.view;
    const turnId = session?.active_turn_id ?? '';
    const own = newValues.find(cell => {
      const mark: unknown = type === 'add' ? cell.getMetadata('acp') : null;
      return turnId !== '' && isRecord(mark) && text(mark, 'turn') === turnId;
    });
    if (own !== undefined && session !== null) {
      this.#plan({ kind: 'cell', path: session.notebook_path, cellId: own.id });
    }
  }

  #plan(place: AgentLocation | null): void {
    const key = JSON.stringify(place);
    if (place === null || key === this.#last) {
      return;
    }
    this.#last = key;
    this.#next = place;
    if (!this.#busy) {
      void this.#goOn();
    }
  }

  /** Goes to the newest place, stays there for a moment, and repeats. */
  async #goOn(): Promise<void> {
    this.#busy = true;
    while (this.#next !== null && !this.#disposed) {
      const place = this.#next;
      this.#next = null;
      try {
        await this.#go(place);
      } catch (error) {
        // If it can't go there, it stays.
        console.warn(error);
      }
      await new Promise<void>(resolve => {
        this.#timer = setTimeout(resolve, STAY_MS);
      });
    }
    this.#busy = false;
  }

  async #go(place: AgentLocation): Promise<void> {
    const isLate = () => this.#disposed || this.#next !== null;
    if (place.kind === 'file') {
      this.#mark(null);
      await this.#preview?.show(place.path, place.line, this.#notebook, isLate);
      return;
    }
    const notebook = this.#find(place.path);
    if (notebook !== null) {
      reveal(notebook);
      const cell = await scrollToCell(notebook, place.cellId);
      this.#mark(this.#disposed ? null : cell);
    }
  }

  #mark(cell: HTMLElement | null): void {
    this.#marked?.classList.remove(MARK);
    cell?.classList.add(MARK);
    this.#marked = cell;
  }
}
