import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import type { Client } from '../../delivery/client';
import { agentIcon } from '../../lab/page/icon';
import { OPEN_SESSION } from '../../lab/page/ids';
import { lazyView } from '../../lab/page/lazy_views';
import type { LazyMounted } from '../../lab/page/lazy_views';
import type { Rendering, Translate } from '../../views';
import { Inbox } from './inbox';
import type { InboxProps } from './props';

const mountInbox = lazyView(
  async () => (await import(/* webpackChunkName: "views" */ './inbox_view')).mountInbox,
);

interface InboxParts {
  readonly app: JupyterFrontEnd;
  readonly client: Client;
  readonly rendering: Rendering | undefined;
  /** The address of the inbox's own page. */
  readonly address: string;
  readonly t: Translate;
}

/** The inbox in the main area; a session of it opens in the side panel. */
export class InboxWidget extends Widget {
  readonly #parts: InboxParts;
  readonly #inbox: Inbox;
  readonly #mounted: LazyMounted<InboxProps>;

  constructor(parts: InboxParts) {
    super();
    this.#parts = parts;
    this.id = 'acp-inbox';
    this.addClass('acp-Inbox');
    this.title.icon = agentIcon;
    this.title.label = parts.t('Inbox of Agents');
    this.title.closable = true;
    this.#inbox = new Inbox(parts.client, () => this.#mounted.update(this.#props()));
    this.#mounted = mountInbox(this.node, this.#props());
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.#inbox.dispose();
      this.#mounted.dispose();
      super.dispose();
    }
  }

  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    void this.#mounted.drawn.then(() => {
      if (this.isVisible && !this.node.contains(document.activeElement)) {
        this.node.querySelector<HTMLElement>('.acp-inbox')?.focus();
      }
    });
  }

  #props(): InboxProps {
    const { app, address, rendering, t } = this.#parts;
    const open = (sessionId: string) => void app.commands.execute(OPEN_SESSION, { sessionId });
    return { ...this.#inbox.props, open, address, rendering, t };
  }
}
