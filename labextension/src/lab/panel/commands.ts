import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { PageConfig } from '@jupyterlab/coreutils';
import { ILauncher } from '@jupyterlab/launcher';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { Failure } from '../../delivery/failure';
import { preferThoughts } from '../../state/ui';
import { policiesOf, policyOf } from '../../wire/policy';
import { chosenSandbox, sandboxesOf } from '../../wire/sandbox';
import { agentIcon } from '../page/icon';
import { ADD_AGENT, PANEL_ID, SETTINGS } from '../page/ids';
import { tell } from './panel_actions';
import { IAcpPanel } from './session_panel';

const OPEN_PANEL = 'acp-jupyter:open-panel';

const NEW_SESSION = 'acp-jupyter:new-session';

const NEXT_TURN = 'acp-jupyter:next-turn';

const PREVIOUS_TURN = 'acp-jupyter:previous-turn';

/** Commands of the panel, its launcher card, and its settings. */
export const commandsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:commands',
  description: 'Commands and a launcher card for sessions of agents.',
  autoStart: true,
  requires: [IAcpPanel],
  optional: [ICommandPalette, ILauncher, ISettingRegistry, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    panel: IAcpPanel,
    palette: ICommandPalette | null,
    launcher: ILauncher | null,
    registry: ISettingRegistry | null,
    translator: ITranslator | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const { commands, shell } = app;
    const show = () => shell.activateById(PANEL_ID);
    const turn = async (by: 1 | -1) => {
      if (!panel.isVisible) {
        show();
      }
      await panel.drawn;
      goToTurn(panel.node, by);
    };
    commands.addCommand(OPEN_PANEL, {
      label: trans.__('Agent Sessions'),
      caption: trans.__('Talk to an agent'),
      icon: agentIcon,
      execute: show,
    });
    commands.addCommand(NEW_SESSION, {
      label: trans.__('New Agent Session'),
      caption: trans.__('Start a session with the agent of the panel'),
      icon: agentIcon,
      execute: async () => {
        show();
        try {
          await panel.newSession();
        } catch (error) {
          tell(panel, Failure.from(error));
        }
      },
    });
    commands.addCommand(ADD_AGENT, {
      label: trans.__('Add an Agent…'),
      caption: trans.__('All agents, and what each needs'),
      icon: agentIcon,
      execute: async () => {
        show();
        await panel.drawn;
        panel.showPage('agents');
      },
    });
    commands.addCommand(NEXT_TURN, {
      label: trans.__('Next Turn of the Agent Session'),
      execute: () => turn(1),
    });
    commands.addCommand(PREVIOUS_TURN, {
      label: trans.__('Previous Turn of the Agent Session'),
      execute: () => turn(-1),
    });
    for (const command of [NEW_SESSION, ADD_AGENT, NEXT_TURN, PREVIOUS_TURN]) {
      palette?.addItem({ command, category: trans.__('Agents') });
    }
    launcher?.add({ command: OPEN_PANEL, category: trans.__('Other'), rank: 3 });

    const read = ({ composite }: ISettingRegistry.ISettings) => {
      panel.sendKey = composite['sendKey'] === 'shift-enter' ? 'shift-enter' : 'enter';
      const { agent, policy, sandbox, thoughts } = composite;
      panel.startsWith = {
        agent: typeof agent === 'string' ? agent : '',
        policy: policyOf(policy, policiesOf(PageConfig.getOption('acpPolicies'))),
        sandbox: chosenSandbox(sandbox, sandboxesOf(PageConfig.getOption('acpSandboxes'))),
      };
      preferThoughts(thoughts === 'open' || (thoughts === 'closed' ? false : null));
    };
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

/** Moves by turns, from the prompt that has the focus, else from the last one. */
function goToTurn(panel: HTMLElement, by: 1 | -1): void {
  const prompts = [...panel.querySelectorAll<HTMLElement>('.acp-log .acp-user')];
  const focused = document.activeElement?.closest('.acp-turn');
  const here = prompts.findIndex(prompt => prompt.closest('.acp-turn') === focused);
  const to = here < 0 ? prompts.length - 1 : here + by;
  const prompt = prompts[Math.min(prompts.length - 1, Math.max(0, to))];
  if (prompt !== undefined) {
    prompt.tabIndex = -1;
    prompt.focus({ preventScroll: true });
    prompt.scrollIntoView({ block: 'start' });
  }
}
