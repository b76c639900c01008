import { useState } from 'preact/hooks';

import type { AgentEntry } from '../../wire/types';
import type { Actions } from '../actions';
import type { Translate } from '../i18n';
import { ActionButton } from '../parts/buttons';
import type { IconName } from '../parts/drawings';
import { Icon } from '../parts/icons';
import { AGENT_STATES } from './pickers';

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

/** An agent, what it needs, and the button for that. */
export function AgentRow({ agent, actions, t, onStart, onFailure }: AgentRowProps) {
  const [asking, setAsking] = useState(false);
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
      {downloads && !asking && (
        <button
          type="button"
          class="btn small"
          aria-label={t('Download %1', agent.name)}
          onClick={() => setAsking(true)}
        >
          {t('Download…')}
        </button>
      )}
      {agent.detail !== '' && <small dir="auto">{agent.detail}</small>}
      {downloads && asking && (
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
                setAsking(false);
                await actions.refreshAgents?.();
              }}
              onFailure={onFailure}
            >
              {t('Allow the download')}
            </ActionButton>
            <button type="button" class="btn small" onClick={() => setAsking(false)}>
              {t('Cancel')}
            </button>
          </div>
        </div>
      )}
    </li>
  );
}
