import { useState } from 'preact/hooks';

import type { AgentEntry } from '../../../wire/types';
import type { Actions } from '../../actions';
import type { Translate } from '../../i18n';
import { ActionButton } from '../../parts/buttons';
import type { IconName } from '../../parts/icon_drawings';
import { Icon } from '../../parts/icons';
import { Menu } from '../../parts/menu';

interface AgentsProps {
  readonly agents: readonly AgentEntry[];
  readonly actions: Actions;
  readonly t: Translate;
  readonly onStart: (agentId: string) => void;
  readonly onFailure: (message: string) => void;
}

/** The agents and what each needs, shown while no session is open. */
export function Agents({ agents, actions, t, onStart, onFailure }: AgentsProps) {
  const ready = agents.some(agent => agent.status === 'ready');
  const more = agents.filter(agent => agent.listed);
  const row = (agent: AgentEntry) => (
    <AgentRow key={agent.id} {...{ agent, actions, t, onStart, onFailure }} />
  );
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
          {agents.filter(agent => !agent.listed).map(row)}
        </ul>
      )}
      {more.length > 0 && (
        <details class="acp-more">
          <summary>
            <Icon name="chevron" small class="chev" />
            {t('More agents')}
          </summary>
          <ul class="acp-ready" role="list" aria-label={t('More agents')}>
            {more.map(row)}
          </ul>
        </details>
      )}
      {actions.refreshAgents !== undefined && (
        <div class="row">
          <ActionButton run={async () => actions.refreshAgents?.()} onFailure={onFailure}>
            {t('Check again')}
          </ActionButton>
        </div>
      )}
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

/** An agent, what it needs, and a button for that. */
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
      {downloads && confirming && (
        <div class="acp-download" role="group" aria-label={t('Download %1', agent.name)}>
          <p>{t('%1 will be downloaded and run as you:', agent.package)}</p>
          <pre class="wrap" tabIndex={0} dir="ltr">
            {agent.run}
          </pre>
          {agent.website !== '' && <p class="muted">{agent.website}</p>}
          <div class="row">
            <ActionButton
              class="btn small primary"
              run={async () => {
                await actions.allowDownload?.(agent.id, agent.package);
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
}

/** Chooses the agent of a new session. */
export function NewSession({ agents, t, onStart }: NewSessionProps) {
  const startable = agents.filter(agent => !agent.listed);
  if (startable.length === 0) {
    return null;
  }
  return (
    <Menu
      label={t('New session')}
      items={startable.map(agent => ({
        name: agent.name,
        description: agent.status === 'ready' ? '' : t(AGENT_STATES[agent.status]),
        disabled: agent.status === 'not_installed' || agent.status === 'broken',
        onChoose: () => onStart(agent.id),
      }))}
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
