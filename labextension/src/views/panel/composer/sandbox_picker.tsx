import type { SessionView } from '../../../state/session_view';
import type { Policy } from '../../../wire/policy';
import { SANDBOXES, sandboxOf, sandboxOfPolicy, suitsSandbox } from '../../../wire/sandbox';
import type { Sandbox } from '../../../wire/sandbox';
import type { SessionState } from '../../../wire/types';
import type { Actions } from '../../actions';
import type { Translate } from '../../i18n';
import { SANDBOX_SENTENCES } from '../../sandbox/sandbox_texts';
import { Picker } from './picker';
import type { Choice } from './picker';

const NAMES: Record<Sandbox, string> = {
  off: 'Off',
  folder: 'Folder',
  'read-only': 'Read only',
  copy: 'Copy',
};

/** A choice that leaves the sandbox of a new session to the server. */
const DEFAULT = 'default';

interface SandboxPickerProps {
  readonly session: SessionState | null;
  readonly turns: SessionView['turns'];
  /** The policy of the session, or of the one to start. */
  readonly policy: Policy;
  /** The name of that policy for users. */
  readonly policyName: string;
  /** The sandbox of the session to start; `null` leaves it to the server. */
  readonly sandbox: Sandbox | null;
  readonly actions: Actions;
  readonly t: Translate;
  readonly onChoose: (sandbox: Sandbox | null) => void;
}

/** A picker for what the agent's processes can reach; some policies leave no choice. */
export function SandboxPicker(props: SandboxPickerProps) {
  const { session, turns, policy, policyName, sandbox, actions, t } = props;
  const brought = sandboxOfPolicy(policy);
  const choiceOf = (value: Sandbox): Choice => {
    const allowed = actions.sandboxes?.includes(value) ?? true;
    const sentence = suitsSandbox(session, value)
      ? t(SANDBOX_SENTENCES[value])
      : `${t(SANDBOX_SENTENCES[value])} ${t('This starts a new session.')}`;
    const described = allowed ? sentence : t('Your administrator has not allowed this.');
    return brought === null
      ? { value, name: t(NAMES[value]), description: described, disabled: !allowed }
      : {
          value,
          name: t(NAMES[value]),
          description: value === brought ? t(SANDBOX_SENTENCES[value]) : '',
          disabled: value !== brought,
        };
  };
  const choices = SANDBOXES.map(choiceOf);
  if (session === null) {
    choices.unshift({
      value: DEFAULT,
      name: t('Default'),
      description: t('As configured for the server and the agent.'),
      disabled: brought !== null,
    });
  }
  return (
    <Picker
      label={t('Sandbox')}
      named
      value={brought ?? session?.sandbox ?? sandbox ?? DEFAULT}
      choices={choices}
      note={
        brought === null
          ? whenItCounts(session, turns, t)
          : `${t('The policy “%1” brings the sandbox “%2”.', policyName, t(NAMES[brought]))} ${wordsOfStay(session, turns, t)}`.trim()
      }
      onChoose={chosen => props.onChoose(chosen === DEFAULT ? null : sandboxOf(chosen))}
    />
  );
}

/** When another sandbox or network takes effect in a session, and its effect on the agent. */
export function whenItCounts(
  session: SessionState | null,
  turns: SessionView['turns'],
  t: Translate,
): string {
  if (session === null) {
    return '';
  }
  if (session.copied_folder !== '') {
    return t('This session works in its copy of the folder until it is closed.');
  }
  const words = wordsOfStay(session, turns, t);
  if (words !== '') {
    return words;
  }
  return runs(session) && hasBegun(turns)
    ? t('Takes effect with your next message. The agent restarts and continues the conversation.')
    : t('Takes effect with your next message.');
}

/** Says that the agent stays, if it could not continue the conversation in a new process. */
export function wordsOfStay(
  session: SessionState | null,
  turns: SessionView['turns'],
  t: Translate,
): string {
  if (session === null || !runs(session) || !hasBegun(turns)) {
    return '';
  }
  return session.can.includes('resume') || session.can.includes('load')
    ? ''
    : t(
        '%1 keeps its sandbox, because it can’t resume a conversation in a new process. To change the sandbox, start a new session.',
        session.agent_info.name,
      );
}

function runs({ stored, status }: SessionState): boolean {
  return !stored && status !== 'stopped';
}

function hasBegun(turns: SessionView['turns']): boolean {
  return [...turns.values()].some(turn => turn.status === 'done');
}
