import { ILabShell, ILayoutRestorer } from '@jupyterlab/application';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, MainAreaWidget, WidgetTracker } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import type { Client } from '../../delivery/client';
import type { TrafficProps, Translate } from '../../views';
import { IAcpClient } from '../page/client';
import { agentIcon } from '../page/icon';
import { OPEN_SESSION, TRAFFIC } from '../page/ids';
import { mountTraffic } from '../page/lazy_views';
import type { Later } from '../page/lazy_views';
import { exportSession } from './panel_actions';
import { IAcpPanel } from './session_panel';

/** The traffic log of a session, which is followed while it is visible. */
class TrafficWidget extends Widget {
  readonly #app: JupyterFrontEnd;
  readonly #client: Client;
  readonly #t: Translate;
  readonly #actions: TrafficProps['actions'];
  readonly #mounted: Later<TrafficProps>;
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
      traffic: (id, query) => client.life.traffic(id, query),
      trafficLine: (id, place, end) => client.life.trafficLine(id, place, end),
      exportSession: (id, format) => exportSession(this.#app, id, format),
      openSession: id => void this.#app.commands.execute(OPEN_SESSION, { sessionId: id }),
      // Absent where the page came over plain http.
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

/** The traffic of a session as a tab of the main area, one for each session. */
export const trafficPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:traffic',
  description: 'Shows the messages between host and agent.',
  autoStart: true,
  requires: [IAcpClient, IAcpPanel],
  optional: [ILayoutRestorer, ICommandPalette, ITranslator, ILabShell],
  activate: (
    app: JupyterFrontEnd,
    client: IAcpClient,
    panel: IAcpPanel,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null,
    translator: ITranslator | null,
    labShell: ILabShell | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const t: Translate = (text, ...values) => trans.__(text, ...values);
    const tracker = new WidgetTracker<MainAreaWidget<TrafficWidget>>({
      namespace: 'acp-jupyter-traffic',
    });
    app.commands.addCommand(TRAFFIC, {
      label: trans.__('Show the Traffic of the Agent Session'),
      caption: trans.__('Show the messages between Jupyter and the agent, as they come'),
      icon: agentIcon,
      isEnabled: args => typeof args['sessionId'] === 'string' || panel.sessionId !== '',
      execute: args => {
        const { sessionId } = args;
        const id = typeof sessionId === 'string' ? sessionId : panel.sessionId;
        if (id === '') {
          return;
        }
        let widget = tracker.find(({ content }) => content.sessionId === id);
        if (widget === undefined) {
          widget = new MainAreaWidget({ content: new TrafficWidget(app, client, id, t) });
          widget.id = `acp-traffic-${id}`;
          widget.toolbar.hide();
          // The main area of Jupyter Notebook holds its notebook and nothing else.
          app.shell.add(widget, labShell === null ? 'right' : 'main');
          void tracker.add(widget);
        }
        app.shell.activateById(widget.id);
      },
    });
    palette?.addItem({ command: TRAFFIC, category: trans.__('Agents') });
    void restorer?.restore(tracker, {
      command: TRAFFIC,
      args: ({ content }) => ({ sessionId: content.sessionId }),
      name: ({ content }) => content.sessionId,
    });
  },
};
