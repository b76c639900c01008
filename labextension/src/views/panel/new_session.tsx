import type { AgentEntry } from '../../wire/types';
import type { Translate } from '../i18n';
import { Icon } from '../parts/icons';
import { Menu } from './menu';
import { AGENT_STATES } from './pickers';

interface NewSessionProps {
  readonly agents: readonly AgentEntry[];
  readonly t: Translate;
  readonly onStart: (agentId: string) => void;
}

/** Chooses the agent of a new session. */
export function NewSession({ agents, t, onStart }: NewSessionProps) {
  const offered = agents.filter(agent => !agent.listed);
  if (offered.length === 0) {
    return null;
  }
  return (
    <Menu
      label={t('New session')}
      items={offered.map(agent => ({
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
