import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import type { Client, Following } from '../../delivery/client';
import type { Connection, Failure, Rendering, Translate } from '../../views';
import type { SessionStore } from '../../state/store';
import type { Source } from '../../views/review';
import { cellNumber, goToTurn } from '../page/current_notebook';
import type { CurrentNotebook } from '../page/current_notebook';
import { agentIcon } from '../page/icon';
import { mountReview } from '../page/lazy_views';
import type { LazyMounted } from '../page/lazy_views';
import { turnActions } from '../page/turn_actions';
import type { Subject } from './subject';

export interface ReviewParts {
  readonly app: JupyterFrontEnd;
  readonly client: Client;
  readonly notebook: CurrentNotebook;
  readonly rendering: Rendering | undefined;
  readonly t: Translate;
}

/** Properties that every view of the changes of sessions has. */
export interface SourcesProps {
  readonly sources: readonly [Source, ...Source[]];
  /** Why the server does not show some of them, by the session's id. */
  readonly failures: ReadonlyMap<string, Failure>;
  readonly connection: Connection;
  readonly rendering: Rendering | undefined;
  readonly t: Translate;
}

/** A view of the changes of sessions. */
export interface Sheet {
  readonly id: string;
  readonly label: string;
  readonly caption: string;
  readonly sessionIds: readonly [string, ...string[]];
  readonly mount: (element: HTMLElement, props: SourcesProps) => LazyMounted<SourcesProps>;
}

/** The review of a turn, a run or a session. */
export function sheetOf({ id, sessionIds, scopes }: Subject, t: Translate): Sheet {
  const captions = {
    turn: t('Changes of a turn'),
    run: t('Changes of a run'),
    session: t('Changes of a session'),
  };
  const reviewProps = (props: SourcesProps) => {
    const [failure = null] = props.failures.values();
    return { ...props, scopes, failure };
  };
  return {
    ...{ id, sessionIds, label: t('Changes'), caption: captions[scopes[0].kind] },
    mount: (element, props) => {
      const view = mountReview(element, reviewProps(props));
      return { ...view, update: next => view.update(reviewProps(next)) };
    },
  };
}

/** The changes of sessions in the main area; `subject` is what the page's layout keeps of it. */
export class ReviewWidget<Kept = Subject> extends Widget {
  readonly #parts: ReviewParts;
  readonly #followed: readonly Following[];
  readonly #sources: SourcesProps['sources'];
  readonly #view: LazyMounted<SourcesProps>;
  readonly #stops: (() => void)[];
  #failures: ReadonlyMap<string, Failure> = new Map();

  constructor(
    parts: ReviewParts,
    { id, label, caption, sessionIds, mount }: Sheet,
    readonly subject: Kept,
  ) {
    super();
    const { client } = parts;
    this.#parts = parts;
    this.id = id;
    this.addClass('acp-Review');
    this.title.label = label;
    this.title.caption = caption;
    this.title.icon = agentIcon;
    this.title.closable = true;
    const [first, ...others] = sessionIds;
    const mine = client.follow(first);
    const theirs = others.map(each => client.follow(each));
    this.#followed = [mine, ...theirs];
    this.#sources = [this.#source(mine), ...theirs.map(each => this.#source(each))];
    this.#view = mount(this.node, this.#props());
    this.#stops = [
      client.connectionChanged.add(() => this.#view.update(this.#props())),
      client.refused.add(refused => {
        if (sessionIds.includes(refused.sessionId)) {
          const failure = { message: refused.error.message, detail: '' };
          this.#failures = new Map(this.#failures).set(refused.sessionId, failure);
          this.#view.update(this.#props());
        }
      }),
    ];
  }

  /** The sessions that are reviewed. */
  get stores(): readonly SessionStore[] {
    return this.#followed.map(({ store }) => store);
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this.#stops.forEach(stop => stop());
    this.#view.dispose();
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

  #props(): SourcesProps {
    return {
      sources: this.#sources,
      failures: this.#failures,
      connection: this.#parts.client.connection,
      rendering: this.#parts.rendering,
      t: this.#parts.t,
    };
  }
}
