import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { IAcpClient } from '../page/client';
import { GO_TO_PERMISSION, PANEL_ID } from '../page/ids';
import { statusWords } from './session_news';
import type { StatusWords } from './session_news';

/** A button in the status bar, shown only while a session runs or waits. */
class StatusItem extends Widget {
  readonly changed = new Signal<this, void>(this);
  readonly #button = document.createElement('button');
  #words: StatusWords = { text: '', waiting: false };

  constructor(title: string, onClick: (words: StatusWords) => void) {
    super();
    this.addClass('acp-StatusItem');
    this.#button.type = 'button';
    this.#button.title = title;
    this.#button.addEventListener('click', () => onClick(this.#words));
    this.node.append(this.#button);
  }

  get isActive(): boolean {
    return this.#words.text !== '';
  }

  say(words: StatusWords): void {
    this.#words = words;
    this.#button.textContent = words.text;
    this.toggleClass('acp-mod-waiting', words.waiting);
    this.changed.emit();
  }
}

export const statusBarPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:status-bar',
  description: 'Shows in the status bar that an agent runs or waits for an answer.',
  autoStart: true,
  requires: [IAcpClient],
  // Notebook 7 has none.
  optional: [IStatusBar, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    client: IAcpClient,
    statusBar: IStatusBar | null,
    translator: ITranslator | null,
  ) => {
    if (statusBar === null) {
      return;
    }
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const item = new StatusItem(trans.__('Open the agent sessions'), ({ waiting }) => {
      if (waiting) {
        void app.commands.execute(GO_TO_PERMISSION);
      } else {
        app.shell.activateById(PANEL_ID);
      }
    });
    const draw = () =>
      item.say(statusWords(client.sessions ?? [], (text, ...values) => trans.__(text, ...values)));
    client.sessionsChanged.add(draw);
    draw();
    statusBar.registerStatusItem('acp-jupyter:status', {
      item,
      align: 'left',
      rank: 20,
      isActive: () => item.isActive,
      activeStateChanged: item.changed,
    });
  },
};
