import { ILayoutRestorer } from '@jupyterlab/application';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, WidgetTracker } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import type { Client, Following } from '../delivery/client';
import type { Actions, Failure, Translate } from '../views';
import type { ReviewProps } from '../views/review';
import type { SessionSummary } from '../wire/types';
import { REVIEW, turnActions } from './actions';
import { IAcpClient } from './client';
import { agentIcon } from './icon';
import { mountReview, type Later } from './lazyViews';

/** Changes of turns, reviewed in the main area. */
export const reviewPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:review',
  description: 'Reviews what agents changed.',
  autoStart: true,
  requires: [IAcpClient],
  optional: [ILayoutRestorer, ICommandPalette, INotebookTracker, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    client: IAcpClient,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null,
    notebooks: INotebookTracker | null,
    translator: ITranslator | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const t: Translate = (text, ...values) => trans.__(text, ...values);
    const tracker = new WidgetTracker<ReviewWidget>({ namespace: 'acp-jupyter-review' });
    const meant = () =>
      newestSession(client.sessions ?? [], notebooks?.currentWidget?.context.path ?? '');

    app.commands.addCommand(REVIEW, {
      label: trans.__('Review What the Agent Changed'),
      caption: trans.__('Show what the session of this notebook changed, file by file'),
      icon: agentIcon,
      isEnabled: args => typeof args['sessionId'] === 'string' || meant() !== null,
      execute: args => {
        const { sessionId, turnId } = args;
        const id = typeof sessionId === 'string' ? sessionId : (meant()?.session_id ?? '');
        if (id === '') {
          return;
        }
        const turn = typeof turnId === 'string' && turnId !== '' ? turnId : null;
        const name = nameOf(id, turn);
        let widget = tracker.find(each => each.id === name);
        if (widget === undefined) {
          widget = new ReviewWidget(app, client, id, turn, t);
          app.shell.add(widget, 'main');
          void tracker.add(widget);
        }
        app.shell.activateById(widget.id);
      },
    });
    palette?.addItem({ command: REVIEW, category: trans.__('Agents') });
    void restorer?.restore(tracker, {
      command: REVIEW,
      args: ({ sessionId, turnId }) => ({ sessionId, turnId: turnId ?? '' }),
      name: ({ id }) => id,
    });
  },
};

/** The review of a turn, or of a session. */
class ReviewWidget extends Widget {
  readonly #following: Following;
  readonly #mounted: Later<ReviewProps>;
  readonly #stops: (() => void)[];
  readonly #actions: Actions;
  #failure: Failure | null = null;

  constructor(
    app: JupyterFrontEnd,
    private readonly client: Client,
    readonly sessionId: string,
    readonly turnId: string | null,
    private readonly t: Translate,
  ) {
    super();
    this.id = nameOf(sessionId, turnId);
    this.addClass('acp-Review');
    this.title.label = t('Changes');
    this.title.caption = turnId === null ? t('Changes of a session') : t('Changes of a turn');
    this.title.icon = agentIcon;
    this.title.closable = true;
    this.#following = client.follow(sessionId);
    this.#actions = turnActions(app, client, () => this.#following.store.view.session, t);
    this.#mounted = mountReview(this.node, this.#props());
    this.#stops = [
      client.connectionChanged.add(() => this.#draw()),
      client.refused.add(refused => {
        if (refused.sessionId === sessionId) {
          this.#failure = { message: refused.error.message, detail: '' };
          this.#draw();
        }
      }),
    ];
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this.#stops.forEach(stop => stop());
    this.#mounted.dispose();
    this.#following.dispose();
    super.dispose();
  }

  /** Keys act only with the focus inside. */
  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    void this.#mounted.drawn.then(() => {
      if (this.isVisible && !this.node.contains(document.activeElement)) {
        this.node.querySelector<HTMLElement>('.acp')?.focus();
      }
    });
  }

  #draw(): void {
    this.#mounted.update(this.#props());
  }

  #props(): ReviewProps {
    return {
      store: this.#following.store,
      turnId: this.turnId,
      connection: this.client.connection,
      failure: this.#failure,
      actions: this.#actions,
      t: this.t,
    };
  }
}

function nameOf(sessionId: string, turnId: string | null): string {
  return `acp-review-${turnId ?? sessionId}`;
}

/** The session of a notebook that was used last, or of all. */
function newestSession(sessions: readonly SessionSummary[], path: string): SessionSummary | null {
  const own = sessions.filter(session => path !== '' && session.notebook_path === path);
  return (own.length > 0 ? own : sessions).reduce<SessionSummary | null>(
    (best, one) => ((best?.updated_at ?? -1) >= (one.updated_at ?? 0) ? best : one),
    null,
  );
}
