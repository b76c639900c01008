import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, Notification as Notice } from '@jupyterlab/apputils';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import type { Translate } from '../../views';
import { IAcpClient } from '../page/client';
import { OPEN_SESSION, SETTINGS } from '../page/ids';
import { SessionWatch } from './session_news';
import type { News } from './session_news';

const TOGGLE = 'acp-jupyter:toggle-notifications';

const SETTING = 'notifications';

export const notificationsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:notifications',
  description: 'Notifies the user of what happened while the page was hidden.',
  autoStart: true,
  requires: [IAcpClient, ISettingRegistry],
  optional: [ICommandPalette, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    client: IAcpClient,
    registry: ISettingRegistry,
    palette: ICommandPalette | null,
    translator: ITranslator | null,
  ) => {
    if (!('Notification' in window)) {
      return; // the page was loaded over plain http
    }
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const t: Translate = (text, ...values) => trans.__(text, ...values);
    let enabled = false;
    const watch = new SessionWatch(t);
    client.sessionsChanged.add(sessions => {
      const news = watch.update(sessions, Date.now());
      if (enabled && document.hidden && Notification.permission === 'granted') {
        news.forEach(one => notify(app, one));
      }
    });
    void registry.load(SETTINGS).then(
      settings => {
        const read = () => {
          enabled = settings.composite[SETTING] === true;
          app.commands.notifyCommandChanged(TOGGLE);
        };
        app.commands.addCommand(TOGGLE, {
          label: t('Notify Me When an Agent Waits or Is Done'),
          isToggled: () => enabled && Notification.permission === 'granted',
          execute: () => toggleNotifications(enabled, value => settings.set(SETTING, value), t),
        });
        palette?.addItem({ command: TOGGLE, category: t('Agents') });
        settings.changed.connect(read);
        read();
      },
      () => {
        // Without settings there are no notifications.
      },
    );
  },
};

/** Asks the browser for permission to notify, which happens only here, after a click. */
async function toggleNotifications(
  enabled: boolean,
  set: (value: boolean) => Promise<void>,
  t: Translate,
): Promise<void> {
  if (enabled && Notification.permission === 'granted') {
    return set(false);
  }
  if ((await Notification.requestPermission()) === 'granted') {
    return set(true);
  }
  Notice.warning(
    t('The browser does not allow notifications from this page. Allow them in its settings.'),
  );
}

function notify(app: JupyterFrontEnd, { sessionId, title, body }: News): void {
  // A new one replaces an earlier one of the same session.
  const shown = new Notification(title, { body, tag: `acp-jupyter-${sessionId}` });
  shown.onclick = () => {
    window.focus();
    shown.close();
    void app.commands.execute(OPEN_SESSION, { sessionId });
  };
}
