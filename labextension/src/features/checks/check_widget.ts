import type { NotebookPanel } from '@jupyterlab/notebook';
import type { ServerConnection } from '@jupyterlab/services';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import { afterLine, NO_CHECK } from './check_state';
import type { CheckState } from './check_state';
import type { Translate } from '../../views';
import type { CheckProps } from './view';
import { isRecord, text } from '../../wire/read';
import { agentIcon } from '../../lab/page/icon';
import { lazyView } from '../../lab/page/lazy_views';
import type { LazyMounted } from '../../lab/page/lazy_views';
import { baseOf } from '../../lab/page/paths';
import { checkLines } from './check_lines';
import type { Checked } from './check_lines';

const mountCheck = lazyView(async () => (await import('./view')).mountCheck);

interface CheckParts {
  readonly settings: ServerConnection.ISettings;
  readonly t: Translate;
  /** The open notebook; `null` after it was closed. */
  readonly find: () => NotebookPanel | null;
  readonly goTo: (cellId: string) => void;
}

/** The check of one notebook in the main area: its progress, and its result by cell. */
export class CheckWidget extends Widget {
  readonly #parts: CheckParts;
  readonly #mounted: LazyMounted<CheckProps>;
  readonly path: string;
  #state: CheckState = NO_CHECK;
  #running: AbortController | null = null;

  constructor(path: string, parts: CheckParts) {
    super();
    this.path = path;
    this.#parts = parts;
    this.id = `acp-check-${path}`;
    this.addClass('acp-Check');
    this.title.label = parts.t('Check of %1', baseOf(path));
    this.title.icon = agentIcon;
    this.title.closable = true;
    this.#mounted = mountCheck(this.node, this.#props());
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.#running?.abort();
      this.#mounted.dispose();
      super.dispose();
    }
  }

  /** Focuses the check, so that its keys and buttons are next. */
  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    void this.#mounted.drawn.then(() => {
      const { activeElement: active } = document;
      if (this.isVisible && (active === this.node || !this.node.contains(active))) {
        this.node.querySelector<HTMLElement>('.acp')?.focus();
      }
    });
  }

  /** Starts, unless a check is running. */
  async start(): Promise<void> {
    const { find, settings, t } = this.#parts;
    const panel = find();
    if (this.#running !== null) {
      return;
    }
    if (panel === null || panel.content.model === null) {
      this.#set({ ...NO_CHECK, phase: 'failed', words: t('Open the notebook, and check again.') });
      return;
    }
    const running = new AbortController();
    this.#running = running;
    this.#set(NO_CHECK);
    try {
      for await (const line of checkLines(settings, checkedIn(panel), running.signal)) {
        this.#set(afterLine(this.#state, line));
      }
      if (this.#state.phase === 'runs' || this.#state.phase === 'starts') {
        this.#set({ ...this.#state, phase: 'failed', words: t('The server ended the check.') });
      }
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      this.#set(
        running.signal.aborted
          ? { ...this.#state, phase: 'cancelled', running: null }
          : { ...this.#state, phase: 'failed', running: null, words },
      );
    } finally {
      this.#running = null;
    }
  }

  #set(state: CheckState): void {
    this.#state = state;
    if (!this.isDisposed) {
      this.#mounted.update(this.#props());
    }
  }

  #props(): CheckProps {
    const { goTo, t } = this.#parts;
    return {
      name: baseOf(this.path),
      state: this.#state,
      cancel: () => this.#running?.abort(),
      again: () => void this.start(),
      goTo,
      t,
    };
  }
}

/** The notebook with its unsaved changes, and the name of its kernel. */
function checkedIn({ content, context, sessionContext }: NotebookPanel): Checked {
  const named: unknown = content.model?.getMetadata('kernelspec');
  return {
    path: context.localPath,
    kernelName:
      sessionContext.session?.kernel?.name ||
      (isRecord(named) ? text(named, 'name') : '') ||
      'python3',
    notebook: content.model?.toJSON(),
  };
}
