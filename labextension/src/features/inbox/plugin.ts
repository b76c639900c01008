import { ILabShell, ILayoutRestorer } from '@jupyterlab/application';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, WidgetTracker } from '@jupyterlab/apputils';
import { PageConfig } from '@jupyterlab/coreutils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { IAcpClient } from '../../lab/page/client';
import { agentIcon } from '../../lab/page/icon';
import { IAcpRendering } from '../../lab/rendering/plugin';
import type { Translate } from '../../views';
import type { InboxWidget } from './inbox_widget';

const INBOX = 'acp-jupyter:inbox';

/** Shows what waits for an answer, what runs and what has ended, over all notebooks. */
export const inboxPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:inbox',
  description: 'Lists what agents ask and do, over all notebooks.',
  autoStart: true,
  requires: [IAcpClient],
  optional: [ICommandPalette, ITranslator, IAcpRendering, ILabShell, ILayoutRestorer],
  activate: (
    app: JupyterFrontEnd,
    client: IAcpClient,
    palette: ICommandPalette | null,
    translator: ITranslator | null,
    rendering: IAcpRendering | null,
    labShell: ILabShell | null,
    restorer: ILayoutRestorer | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const t: Translate = (text, ...values) => trans.__(text, ...values);
    const tracker = new WidgetTracker<InboxWidget>({ namespace: 'acp-jupyter-inbox' });
    app.commands.addCommand(INBOX, {
      label: trans.__('Show the Inbox of Agents'),
      caption: trans.__('Show what agents ask and do, over all notebooks'),
      icon: agentIcon,
      execute: async () => {
        const { InboxWidget } = await import('./inbox_widget');
        let widget = tracker.currentWidget;
        if (widget === null || widget.isDisposed) {
          const address = new URL(
            'acp-jupyter/inbox',
            new URL(PageConfig.getBaseUrl(), location.href),
          );
          widget = new InboxWidget({
            ...{ app, client, rendering: rendering ?? undefined, t },
            address: address.href,
          });
          // The main area of Jupyter Notebook holds its notebook and nothing else.
          app.shell.add(widget, labShell === null ? 'right' : 'main');
          void tracker.add(widget);
        }
        app.shell.activateById(widget.id);
      },
    });
    palette?.addItem({ command: INBOX, category: trans.__('Agents') });
    void restorer?.restore(tracker, { command: INBOX, name: () => 'inbox' });
  },
};
