import { ILabShell } from '@jupyterlab/application';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { IAcpClient } from '../../lab/page/client';
import { agentIcon } from '../../lab/page/icon';
import { addToViews } from '../../lab/page/additions';
import { SETTINGS } from '../../lab/page/ids';
import { IAcpPanel } from '../../lab/panel/session_panel';
import type { Follower } from './follower';
import { Follows } from './follows';

const FOLLOW = 'acp-jupyter:follow-agent';

/** Follows the agent of the session in the panel, if the user wants that. */
export const followPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:follow',
  description: 'Goes to the cells and files at which agents work.',
  autoStart: true,
  requires: [IAcpClient, IAcpPanel, INotebookTracker],
  optional: [ILabShell, ICommandPalette, ISettingRegistry, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    client: IAcpClient,
    panel: IAcpPanel,
    tracker: INotebookTracker,
    shell: ILabShell | null,
    palette: ICommandPalette | null,
    registry: ISettingRegistry | null,
    translator: ITranslator | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const follows = new Follows();
    panel.shown.add(sessionId => follows.show(sessionId));
    follows.show(panel.sessionId);
    addToViews(async () => {
      const { followButton } = await import(/* webpackChunkName: "views" */ './follow_button');
      return { panelHead: followButton(follows) };
    });
    let follower: Follower | null = null;
    let followed = '';
    const follow = async (sessionId: string) => {
      const code = await import('./follower');
      // Following may have been turned off and on again meanwhile.
      if (followed === sessionId && follower === null) {
        const pause = () => follows.set(sessionId, 'paused');
        follower = new code.Follower({ app, client, tracker, shell, sessionId, pause });
      }
    };
    const update = () => {
      const wanted = follows.of(follows.shown) === 'on' ? follows.shown : '';
      app.commands.notifyCommandChanged(FOLLOW);
      if (wanted === followed) {
        return;
      }
      follower?.dispose();
      follower = null;
      followed = wanted;
      if (wanted !== '') {
        follow(wanted).catch((error: unknown) => {
          console.error(error);
          follows.set(wanted, 'off');
        });
      }
    };
    app.commands.addCommand(FOLLOW, {
      label: trans.__('Follow the Agent'),
      caption: trans.__('Go to the cells and files at which the agent in the panel works'),
      icon: agentIcon,
      isEnabled: () => follows.shown !== '',
      isToggleable: true,
      isToggled: () => follows.of(follows.shown) === 'on',
      execute: () => {
        const isOn = follows.of(follows.shown) === 'on';
        follows.set(follows.shown, isOn ? 'off' : 'on');
      },
    });
    palette?.addItem({ command: FOLLOW, category: trans.__('Agents') });
    follows.changed.add(update);
    update();
    const read = ({ composite }: ISettingRegistry.ISettings) =>
      follows.setStandard(composite['follow'] === true);
    void registry?.load(SETTINGS).then(
      settings => {
        settings.changed.connect(read);
        read(settings);
      },
      () => {
        // Without settings the default applies.
      },
    );
  },
};
