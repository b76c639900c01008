import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import type { Client, Following } from '../../delivery/client';
import type { Failure, Rendering, Translate } from '../../views';
import type { ReviewProps, Source } from '../../views/review';
import { cellNumber, goToTurn } from '../page/current_notebook';
import type { CurrentNotebook } from '../page/current_notebook';
import { agentIcon } from '../page/icon';
import { mountReview } from '../page/lazy_views';
import type { Later } from '../page/lazy_views';
import { turnActions } from '../page/turn_actions';
import type { Subject } from './subject';

interface ReviewParts {
  readonly app: JupyterFrontEnd;
  readonly client: Client;
  readonly notebook: CurrentNotebook;
  readonly rendering: Rendering | undefined;
  readonly t: Translate;
}

/** The review of a turn, a run or a session in the main area. */
export class ReviewWidget extends Widget {
  readonly #parts: ReviewParts;
  readonly #followed: readonly Following[];
  readonly #sources: ReviewProps['sources'];
  readonly #mounted: Later<ReviewProps>;
  readonly #stops: (() => void)[];
  #failure: Failure | null = null;

  constructor(
    parts: ReviewParts,
    readonly subject: Subject,
  ) {
    super();
    const { client, t } = parts;
    const { id, scopes, sessionIds } = subject;
    this.#parts = parts;
    this.id = id;
    this.addClass('acp-Review');
    this.title.label = t('Changes');
    this.title.caption = {
      turn: t('Changes of a turn'),
      run: t('Changes of a run'),
      session: t('Changes of a session'),
    }[scopes[0].kind];
    this.title.icon = agentIcon;
    this.title.closable = true;
    const [first, ...others] = sessionIds;
    const mine = client.follow(first);
    const theirs = others.map(each => client.follow(each));
    this.#followed = [mine, ...theirs];
    this.#sources = [this.#source(mine), ...theirs.map(each => this.#source(each))];
    this.#mounted = mountReview(this.node, this.#props());
    this.#stops = [
      client.connectionChanged.add(() => this.#draw()),
      client.refused.add(refused => {
        if (sessionIds.includes(refused.sessionId)) {
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
    this.#followed.forEach(following => following.dispose());
    super.dispose();
  }

  /** Focuses the review, whose keys work only with the focus inside. */
  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    void this.#mounted.drawn.then(() => {
      if (this.isVisible && !this.node.contains(document.activeElement)) {
        this.node.querySelector<HTMLElement>('.acp')?.focus();
      }
    });
  }

  #source({ store }: Following): Source {
    const { app, client, notebook, t } = this.#parts;
    const actions = turnActions(app, client, () => store.view.session, t);
    return {
      store,
      actions: {
        ...actions,
        cellNumber: origin => cellNumber(notebook, origin),
        goToTurn: turn => void goToTurn(app, notebook, turn),
      },
    };
  }

  #draw(): void {
    this.#mounted.update(this.#props());
  }

  #props(): ReviewProps {
    return {
      sources: this.#sources,
      scopes: this.subject.scopes,
      connection: this.#parts.client.connection,
      failure: this.#failure,
      rendering: this.#parts.rendering,
      t: this.#parts.t,
    };
  }
}
