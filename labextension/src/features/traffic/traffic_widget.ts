import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import type { Client } from '../../delivery/client';
import type { Translate } from '../../views';
import { agentIcon } from '../../lab/page/icon';
import { OPEN_SESSION } from '../../lab/page/ids';
import { lazyView } from '../../lab/page/lazy_views';
import type { LazyMounted } from '../../lab/page/lazy_views';
import { exportSession } from '../../lab/page/export_session';
import type { TrafficProps } from './view/traffic';

const mountTraffic = lazyView(
  async () => (await import(/* webpackChunkName: "views" */ './view/traffic')).mountTraffic,
);

/** The traffic log of a session, which is followed while it is visible. */
export class TrafficWidget extends Widget {
  readonly #app: JupyterFrontEnd;
  readonly #client: Client;
  readonly #t: Translate;
  readonly #actions: TrafficProps['actions'];
  readonly #mounted: LazyMounted<TrafficProps>;
  readonly #stops: (() => void)[];

  constructor(
    app: JupyterFrontEnd,
    client: Client,
    readonly sessionId: string,
    t: Translate,
  ) {
    super();
    this.#app = app;
    this.#client = client;
    this.#t = t;
    this.addClass('acp-Traffic');
    this.title.icon = agentIcon;
    this.title.closable = true;
    this.#actions = {
      traffic: (id, query) => client.run({ ...query, name: 'get_traffic', session_id: id }),
      trafficLine: (id, place, end) =>
        client.run({ name: 'get_traffic_line', session_id: id, place, end }),
      exportSession: (id, format) => exportSession(this.#app, id, format),
      openSession: id => void this.#app.commands.execute(OPEN_SESSION, { sessionId: id }),
      // Absent if the page was loaded over plain http.
      ...('clipboard' in navigator
        ? { copy: (text: string) => navigator.clipboard.writeText(text) }
        : {}),
    };
    this.#mounted = mountTraffic(this.node, this.#props());
    this.#stops = [
      client.connectionChanged.add(() => this.#draw()),
      client.sessionsChanged.add(() => this.#draw()),
    ];
    this.#draw();
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this.#stops.forEach(stop => stop());
    this.#mounted.dispose();
    super.dispose();
  }

  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    void this.#mounted.drawn.then(() => {
      const { activeElement: active } = document;
      // The widget around this one focuses the node.
      if (this.isVisible && (active === this.node || !this.node.contains(active))) {
        this.node.querySelector<HTMLElement>('.acp-traffic-lines')?.focus();
      }
    });
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this.#draw();
  }

  protected override onAfterHide(message: Message): void {
    super.onAfterHide(message);
    this.#draw();
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this.#draw();
  }

  #draw(): void {
    const props = this.#props();
    this.title.label = this.#t('Traffic');
    this.title.caption =
      props.title === '' ? this.#t('Traffic') : this.#t('Traffic of %1', props.title);
    this.#mounted.update(props);
  }

  #props(): TrafficProps {
    const { connection, sessions } = this.#client;
    const own = (sessions ?? []).find(({ session_id }) => session_id === this.sessionId);
    return {
      sessionId: this.sessionId,
      actions: this.#actions,
      title: own?.title ?? '',
      live: this.isVisible && connection.state === 'open',
      t: this.#t,
    };
  }
}
