import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import type { Client, Following } from '../../delivery/client';
import { LiveTurn } from '../../delivery/live_turn';
import type { Failure, Rendering, Translate } from '../../views';
import type { Source } from '../../views/review';
import type { VariantsReviewProps } from '../../features/variants/view/review';
import { cellNumber, goToTurn } from '../page/current_notebook';
import type { CurrentNotebook } from '../page/current_notebook';
import { agentIcon } from '../page/icon';
import { mountReview, mountVariantsReview } from '../page/lazy_views';
import type { LazyMounted } from '../page/lazy_views';
import { turnActions } from '../page/turn_actions';
import type { Subject } from './subject';

interface ReviewParts {
  readonly app: JupyterFrontEnd;
  readonly client: Client;
  readonly notebook: CurrentNotebook;
  readonly rendering: Rendering | undefined;
  readonly t: Translate;
}

/** The review of a turn, a run, a session, or of variants in the main area. */
export class ReviewWidget extends Widget {
  readonly #parts: ReviewParts;
  readonly #followed: readonly Following[];
  readonly #sources: VariantsReviewProps['sources'];
  readonly #view: Drawn;
  readonly #stops: (() => void)[];
  /** The turns of variants, by their sessions: their test runs are counted. */
  readonly #turns = new Map<string, LiveTurn>();
  #failures: ReadonlyMap<string, Failure> = new Map();

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
    this.title.label = scopes === null ? t('Variants') : t('Changes');
    this.title.caption =
      scopes === null
        ? t('Changes of the variants of a prompt')
        : {
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
    this.#view =
      scopes === null
        ? drawn(mountVariantsReview, this.node, () => this.#props())
        : drawn(mountReview, this.node, () => {
            const [failure = null] = this.#failures.values();
            return { ...this.#props(), scopes, failure };
          });
    this.#hold();
    this.#stops = [
      client.turnsChanged.add(() => this.#hold()),
      client.connectionChanged.add(() => this.#view.draw()),
      client.refused.add(refused => {
        if (sessionIds.includes(refused.sessionId)) {
          const failure = { message: refused.error.message, detail: '' };
          this.#failures = new Map(this.#failures).set(refused.sessionId, failure);
          this.#view.draw();
        }
      }),
    ];
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this.#stops.forEach(stop => stop());
    this.#view.dispose();
    this.#turns.forEach(turn => turn.dispose());
    this.#followed.forEach(following => following.dispose());
    super.dispose();
  }

  /** Focuses the review, as its keys only work with the focus inside. */
  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    void this.#view.drawn.then(() => {
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

  /** Fetches all items of the turns of variants, once these are known, and keeps them. */
  #hold(): void {
    for (const { store } of this.subject.scopes === null ? this.#followed : []) {
      const turn = [...store.view.turns.values()].find(each => each.variant > 0);
      if (turn !== undefined && turn.origin !== null && !this.#turns.has(store.sessionId)) {
        const { notebook_path: notebookPath, cell_id: cellId } = turn.origin;
        const cell = { turnId: turn.turn_id, notebookPath, cellId };
        const held = new LiveTurn(this.#parts.client, cell, () => undefined);
        this.#turns.set(store.sessionId, held);
      }
    }
  }

  #props(): VariantsReviewProps {
    return {
      sources: this.#sources,
      failures: this.#failures,
      connection: this.#parts.client.connection,
      rendering: this.#parts.rendering,
      t: this.#parts.t,
    };
  }
}

/** One of the views that the widget may have. */
interface Drawn {
  readonly drawn: Promise<void>;
  /** Draws it again in its current state. */
  draw(): void;
  dispose(): void;
}

function drawn<Props>(
  mount: (element: HTMLElement, props: Props) => LazyMounted<Props>,
  element: HTMLElement,
  props: () => Props,
): Drawn {
  const view = mount(element, props());
  return {
    drawn: view.drawn,
    draw: () => view.update(props()),
    dispose: () => view.dispose(),
  };
}
