import type { AgentEntry, SessionState } from '../../wire/types';
import type { Actions } from '../actions';
import type { Translate } from '../i18n';
import { ActionButton } from '../parts/buttons';
import { Icon } from '../parts/icons';
import { AgentRow } from './agent_row';
import { Starters } from './starters';

/** Something is on its way. */
export function Loading({ words }: { readonly words: string }) {
  return (
    <div class="acp-state" role="status">
      <p class="acp-loading">
        <span class="spin" aria-hidden="true" />
        {words}
      </p>
    </div>
  );
}

interface AgentsProps {
  readonly agents: readonly AgentEntry[];
  readonly actions: Actions;
  readonly t: Translate;
  readonly onStart: (agentId: string) => void;
  readonly onFailure: (message: string) => void;
}

/** No session is open: which agents there are, and what each needs. */
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

/** An open session in which nothing has happened. */
export function EmptySession({
  session,
  t,
}: {
  readonly session: SessionState;
  readonly t: Translate;
}) {
  const { name } = session.agent_info;
  if (session.status === 'starting') {
    return <Loading words={t('Starting %1', name)} />;
  }
  return (
    <div class="acp-state">
      <h2>{t('New session with %1', name)}</h2>
      <p>{t('It works in %1. Write a message below.', session.folder)}</p>
      <Starters session={session} />
    </div>
  );
}
