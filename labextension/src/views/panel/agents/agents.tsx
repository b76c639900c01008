import { useState } from 'preact/hooks';

import type { AgentEntry } from '../../../wire/types';
import type { Actions } from '../../actions';
import type { Translate } from '../../i18n';
import { ActionButton, IconButton } from '../../parts/buttons';
import { CopyButton } from '../../parts/copy_button';
import type { IconName } from '../../parts/icon_drawings';
import { Icon } from '../../parts/icons';
import { Menu } from '../../parts/menu';
import type { MenuItem } from '../../parts/menu';
import { RegistryDate } from './registry_date';

interface AgentsProps {
  readonly agents: readonly AgentEntry[];
  readonly actions: Actions;
  readonly t: Translate;
  readonly onStart: (agentId: string) => void;
  readonly onAdd: () => void;
  readonly onFailure: (message: string) => void;
}

/** The agents that are set up, shown while no session is open. */
export function Agents({ agents, actions, t, onStart, onAdd, onFailure }: AgentsProps) {
  const ready = agents.some(agent => agent.status === 'ready');
  return (
    <div class="acp-state">
      <h2>{ready ? t('New session') : t('No agent is ready yet')}</h2>
      <p>
        {ready
          ? t('Choose an agent and write a message, or start from a cell with %%acp.')
          : t('Each agent says below what it needs.')}
      </p>
      {agents.length > 0 && (
        <ul class="acp-ready" role="list" aria-label={t('Agents')}>
          {agents
            .filter(agent => !agent.listed)
            .map(agent => (
              <AgentRow key={agent.id} {...{ agent, actions, t, onStart, onFailure }} />
            ))}
        </ul>
      )}
      <div class="row">
        <button type="button" class="btn small" onClick={onAdd}>
          {t('Add an agent…')}
        </button>
        {actions.refreshAgents !== undefined && (
          <ActionButton run={async () => actions.refreshAgents?.()} onFailure={onFailure}>
            {t('Check again')}
          </ActionButton>
        )}
      </div>
    </div>
  );
}

interface AddAgentProps extends Omit<AgentsProps, 'onAdd'> {
  readonly onBack: () => void;
}

/** All known agents, and what each needs. */
export function AddAgent({ agents, actions, t, onStart, onBack, onFailure }: AddAgentProps) {
  const [search, setSearch] = useState('');
  const words = search.trim().toLowerCase();
  const found = agents.filter(({ id, name }) => `${id} ${name}`.toLowerCase().includes(words));
  return (
    <>
      <div class="acp-bar">
        <h2 class="grow">{t('Add an agent')}</h2>
        {actions.refreshAgents !== undefined && (
          <ActionButton run={async () => actions.refreshAgents?.()} onFailure={onFailure}>
            {t('Check again')}
          </ActionButton>
        )}
        <IconButton icon="close" label={t('Back to the session')} onClick={onBack} />
      </div>
      <label class="acp-search">
        <Icon name="search" />
        <input
          type="search"
          aria-label={t('Search agents')}
          placeholder={t('Search agents')}
          value={search}
          onInput={event => setSearch(event.currentTarget.value)}
        />
      </label>
      <div class="acp-sessions">
        {found.length === 0 && <p class="muted acp-empty">{t('Nothing found.')}</p>}
        <ul class="acp-ready" role="list" aria-label={t('All agents')}>
          {found.map(agent => (
            <AgentRow key={agent.id} {...{ agent, actions, t, onStart, onFailure }} />
          ))}
        </ul>
        <RegistryDate actions={actions} t={t} />
        <OwnCommand actions={actions} t={t} />
      </div>
    </>
  );
}

const OWN_COMMAND = 'c.AcpJupyter.agents = {"my-agent": {"command": "my-agent", "args": ["acp"]}}';

/** How to add an agent that is on no list. */
function OwnCommand({ actions, t }: Pick<AgentsProps, 'actions' | 't'>) {
  return (
    <div class="acp-empty">
      <p class="muted">
        {t('For any other ACP agent, add its command to jupyter_server_config.py.')}
      </p>
      <pre class="wrap" tabIndex={0} dir="ltr">
        {OWN_COMMAND}
      </pre>
      <CopyButton text={OWN_COMMAND} label={t('Copy the setting')} {...{ actions, t }} />
    </div>
  );
}

const STATUS_ICONS: Record<AgentEntry['status'], readonly [IconName, string]> = {
  ready: ['keep', 'ok'],
  needs_login: ['lock', 'warn'],
  not_installed: ['pending', 'muted'],
  broken: ['warning', 'err'],
};

export interface AgentRowProps {
  readonly agent: AgentEntry;
  readonly actions: Actions;
  readonly t: Translate;
  readonly onStart: (agentId: string) => void;
  readonly onFailure: (message: string) => void;
}

/** An agent, what it needs, and a button that provides it. */
export function AgentRow({ agent, actions, t, onStart, onFailure }: AgentRowProps) {
  const [confirming, setConfirming] = useState(false);
  const [icon, tone] = STATUS_ICONS[agent.status];
  const starts = agent.status === 'ready' || agent.status === 'needs_login';
  const downloads = agent.package !== '' && actions.allowDownload !== undefined;
  return (
    <li>
      <span class={tone}>
        <Icon name={icon} />
      </span>
      <span class="grow">
        <b>{agent.name}</b> <span class={tone}>· {t(AGENT_STATES[agent.status])}</span>
      </span>
      {starts && actions.createSession !== undefined && (
        <button
          type="button"
          class="btn small"
          aria-label={
            agent.status === 'ready' ? t('Start %1', agent.name) : t('Log in to %1', agent.name)
          }
          onClick={() => onStart(agent.id)}
        >
          {agent.status === 'ready' ? t('Start') : t('Log in')}
        </button>
      )}
      {downloads && !confirming && (
        <button
          type="button"
          class="btn small"
          aria-label={t('Download %1', agent.name)}
          onClick={() => setConfirming(true)}
        >
          {t('Download…')}
        </button>
      )}
      {agent.detail !== '' && <small dir="auto">{agent.detail}</small>}
      {agent.status === 'not_installed' && agent.install !== '' && (
        <div class="acp-download">
          <pre class="wrap" tabIndex={0} dir="ltr">
            {agent.install}
          </pre>
          <CopyButton
            text={agent.install}
            label={t('Copy the command for %1', agent.name)}
            {...{ actions, t }}
          />
        </div>
      )}
      {downloads && confirming && (
        <div class="acp-download" role="group" aria-label={t('Download %1', agent.name)}>
          <p>{t('%1 will be downloaded and run as you:', agent.package)}</p>
          <pre class="wrap" tabIndex={0} dir="ltr">
            {agent.run}
          </pre>
          {agent.notes.map(note => (
            <p key={note} dir="auto">
              {note}
            </p>
          ))}
          {agent.website !== '' && <p class="muted">{agent.website}</p>}
          <div class="row">
            <ActionButton
              class="btn small primary"
              run={async () => {
                await actions.allowDownload?.(agent.id, agent.package, agent.run);
                setConfirming(false);
                await actions.refreshAgents?.();
              }}
              onFailure={onFailure}
            >
              {t('Allow the download')}
            </ActionButton>
            <button type="button" class="btn small" onClick={() => setConfirming(false)}>
              {t('Cancel')}
            </button>
          </div>
        </div>
      )}
    </li>
  );
}

interface NewSessionProps {
  readonly agents: readonly AgentEntry[];
  readonly t: Translate;
  readonly onStart: (agentId: string) => void;
  readonly onAdd: () => void;
  /** More items. */
  readonly more?: readonly MenuItem[];
}

/** Chooses the agent of a new session. */
export function NewSession({ agents, t, onStart, onAdd, more = [] }: NewSessionProps) {
  const startable = agents.filter(agent => !agent.listed);
  return (
    <Menu
      label={t('New session')}
      items={[
        ...startable.map(agent => ({
          name: agent.name,
          description: agent.status === 'ready' ? '' : t(AGENT_STATES[agent.status]),
          disabled: agent.status === 'not_installed' || agent.status === 'broken',
          onChoose: () => onStart(agent.id),
        })),
        { name: t('Add an agent…'), onChoose: onAdd },
        ...more,
      ]}
    >
      <Icon name="plus" />
    </Menu>
  );
}

/** States of an agent that does not run yet. */
export const AGENT_STATES: Record<AgentEntry['status'], string> = {
  ready: 'ready',
  needs_login: 'needs login',
  not_installed: 'not installed',
  broken: 'stopped at start',
};
