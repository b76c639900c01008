import type { ComponentChildren } from 'preact';

import { OUTSIDE } from '../../../state/session_view';
import { policyOf } from '../../../wire/policy';
import type { Policy } from '../../../wire/policy';
import type { AgentEntry, ConfigOption, SessionState } from '../../../wire/types';
import type { Actions, ConfigChange } from '../../actions';
import type { Translate } from '../../i18n';
import { Unasked, messageOf } from '../../parts/buttons';
import { AGENT_STATES } from '../agents/agents';
import { LimitPicker } from './limit_picker';
import { Picker } from './picker';
import type { Choice } from './picker';

/** The picker for a sandbox, if there is one. */
export interface SandboxParts {
  readonly picker: ComponentChildren;
  /** Drawn between the message and the pickers. */
  readonly offer: ComponentChildren;
  /** What to know before choosing another policy. */
  readonly policyNote: string;
}

interface PickersProps {
  readonly session: SessionState | null;
  readonly agents: readonly AgentEntry[];
  /** The agent of the session, or the one to start next. */
  readonly agent: string;
  /** The policy of the session to start. */
  readonly policy: Policy;
  readonly sandboxParts?: SandboxParts | undefined;
  readonly actions: Actions;
  readonly t: Translate;
  readonly onAgent: (agentId: string) => void;
  readonly onPolicy: (policy: Policy) => void;
  readonly onAdd: () => void;
  /** Id of the session; creates one if there is none. */
  readonly toSession: () => Promise<string>;
  readonly onFailure: (message: string) => void;
}

/** A choice that isn't an agent's id. */
const ADD = ' ';

const POLICY_CHOICES: readonly (Choice & { readonly value: Policy })[] = [
  {
    value: 'ask',
    name: 'Ask',
    description: 'You are asked about every request that no rule of yours allows.',
  },
  {
    value: 'read-only',
    name: 'Read only',
    description: 'Reading in the folder is allowed. Everything else is rejected.',
  },
  {
    value: 'accept-edits',
    name: 'Accept edits',
    description: 'Edits of plain files in the folder are allowed. You are asked about the rest.',
  },
  {
    value: 'allow-all',
    name: 'Allow all',
    description:
      'Requests that name their command or files are allowed. You are asked about the rest.',
  },
  {
    value: 'deny',
    name: 'Deny',
    description: 'Every request is rejected, unless a rule of the prompt allows it.',
  },
];

/** The name of a policy for users. */
export function policyName(policy: Policy, t: Translate): string {
  return t(POLICY_CHOICES.find(({ value }) => value === policy)?.name ?? policy);
}

/** Number of options besides mode and model that get a picker. */
const MAX = 6;

/** Pickers for the agent, its mode and model, and its other options. */
export function Pickers(props: PickersProps) {
  const { session, agents, agent, actions, t } = props;
  const change = (of: ConfigChange) => {
    if (session !== null) {
      actions.setConfig?.(session.session_id, of).catch((error: unknown) => {
        props.onFailure(messageOf(error));
      });
    }
  };
  const configured = actions.setConfig === undefined ? null : session;
  return (
    <>
      {actions.createSession !== undefined && agents.length > 0 && (
        <Picker
          label={t('Agent')}
          value={agent}
          choices={[
            ...agents.filter(entry => !entry.listed).map(entry => agentChoice(entry, t)),
            { value: ADD, name: t('Add an agent…'), description: '' },
          ]}
          onChoose={value => (value === ADD ? props.onAdd() : props.onAgent(value))}
        />
      )}
      {actions.setConfig !== undefined && (
        <PolicyPicker
          value={session?.policy ?? props.policy}
          note={props.sandboxParts?.policyNote ?? ''}
          {...{ actions, t }}
          onChoose={chosen => {
            if (session === null) {
              props.onPolicy(chosen);
            } else {
              change({ policy: chosen });
            }
          }}
        />
      )}
      {actions.setConfig !== undefined && (
        <LimitPicker
          session={session}
          t={t}
          onSet={async of => {
            await actions.setConfig?.(await props.toSession(), of);
          }}
        />
      )}
      {props.sandboxParts?.picker}
      {configured !== null && configured.modes.length > 0 ? (
        <Picker
          label={t('Mode')}
          value={configured.current_mode_id}
          choices={configured.modes.map(mode => ({ ...mode, value: mode.id }))}
          onChoose={mode => change({ mode })}
        />
      ) : (
        <OptionPicker label={t('Mode')} option={optionOf(configured, 'mode')} onChange={change} />
      )}
      <Unasked session={session} />
      <OptionPicker label={t('Model')} option={optionOf(configured, 'model')} onChange={change} />
      {othersOf(configured).map(option =>
        option.type === 'boolean' ? (
          <SwitchPicker key={option.id} option={option} t={t} onChange={change} />
        ) : (
          <OptionPicker
            key={option.id}
            label={option.name || option.id}
            option={option}
            named
            onChange={change}
          />
        ),
      )}
    </>
  );
}

interface PolicyPickerProps {
  readonly value: Policy;
  readonly note?: string;
  readonly actions: Actions;
  readonly t: Translate;
  readonly onChoose: (policy: Policy) => void;
}

function PolicyPicker({ value, note = '', actions, t, onChoose }: PolicyPickerProps) {
  return (
    <Picker
      label={t('Policy')}
      value={value}
      note={note}
      choices={POLICY_CHOICES.map(choice => policyChoice(choice, actions, t))}
      onChoose={chosen => onChoose(policyOf(chosen))}
    />
  );
}

/** The policy of an outside agent, the only setting that it has here. */
export function OutsidePolicy({
  session,
  actions,
  t,
  onFailure,
}: Pick<PickersProps, 'session' | 'actions' | 't' | 'onFailure'>) {
  if (session?.agent !== OUTSIDE || actions.setConfig === undefined) {
    return null;
  }
  return (
    <div class="row">
      <PolicyPicker
        value={session.policy}
        {...{ actions, t }}
        onChoose={policy => {
          actions.setConfig?.(session.session_id, { policy }).catch((error: unknown) => {
            onFailure(messageOf(error));
          });
        }}
      />
    </div>
  );
}

/** A policy as a choice; it says so if the administrator doesn't allow it. */
function policyChoice(
  { value, name, description }: (typeof POLICY_CHOICES)[number],
  { policies }: Actions,
  t: Translate,
): Choice {
  const allowed = policies?.includes(value) ?? true;
  return {
    value,
    name: t(name),
    description: allowed ? t(description) : t('Your administrator has not allowed this.'),
    disabled: !allowed,
  };
}

interface OptionPickerProps {
  readonly label: string;
  readonly option: ConfigOption | null;
  readonly named?: boolean;
  readonly onChange: (change: ConfigChange) => void;
}

function OptionPicker({ label, option, named = false, onChange }: OptionPickerProps) {
  if (option === null || typeof option.current_value !== 'string') {
    return null;
  }
  const { id } = option;
  return (
    <Picker
      label={label}
      named={named}
      value={option.current_value}
      choices={option.choices}
      onChoose={value => onChange({ config: { [id]: value } })}
    />
  );
}

interface SwitchPickerProps {
  readonly option: ConfigOption;
  readonly t: Translate;
  readonly onChange: (change: ConfigChange) => void;
}

/** An on/off picker; its button names the option. */
function SwitchPicker({ option, t, onChange }: SwitchPickerProps) {
  const { id, name, description } = option;
  const label = name || id;
  return (
    <Picker
      label={label}
      value={String(option.current_value === true)}
      shown={option.current_value === true ? t('%1: on', label) : t('%1: off', label)}
      choices={[
        { value: 'true', name: t('On'), description },
        { value: 'false', name: t('Off'), description: '' },
      ]}
      onChoose={value => onChange({ config: { [id]: value === 'true' } })}
    />
  );
}

/** The options without a picker of their category. */
function othersOf(session: SessionState | null): ConfigOption[] {
  const named = ['mode', 'model'].map(category => optionOf(session, category));
  return (session?.config_options ?? [])
    .filter(option => !named.includes(option))
    .filter(option => option.type === 'boolean' || option.choices.length > 0)
    .slice(0, MAX);
}

function optionOf(session: SessionState | null, category: string): ConfigOption | null {
  return (
    session?.config_options.find(
      option => option.category === category && option.choices.length > 0,
    ) ?? null
  );
}

function agentChoice(entry: AgentEntry, t: Translate): Choice {
  const ready = entry.status === 'ready';
  return {
    value: entry.id,
    name: entry.name,
    description: ready ? '' : t(AGENT_STATES[entry.status]),
    disabled: entry.status === 'not_installed',
  };
}
