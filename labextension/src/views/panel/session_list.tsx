import { useState } from 'preact/hooks';

import type { SessionSummary } from '../../wire/types';
import type { Actions } from '../actions';
import type { Translate } from '../i18n';
import { ActionButton, IconButton } from '../parts/buttons';
import type { IconName } from '../parts/drawings';
import { age } from '../parts/format';
import { Icon } from '../parts/icons';

interface SessionListProps {
  readonly sessions: readonly SessionSummary[];
  readonly current: string;
  readonly actions: Actions;
  readonly t: Translate;
  readonly onOpen: (sessionId: string) => void;
  readonly onNew: (() => void) | null;
  readonly onBack: () => void;
  readonly onFailure: (message: string) => void;
}

/** All sessions, by need: waiting, running, then by time. */
export function SessionList(props: SessionListProps) {
  const { sessions, t, onNew, onBack } = props;
  const [search, setSearch] = useState('');
  const now = Date.now() / 1000;
  const found = sessions
    .filter(session => matches(session, search))
    .sort(
      (one, other) => rank(other) - rank(one) || (other.updated_at ?? 0) - (one.updated_at ?? 0),
    );
  const today = found.filter(session => rank(session) > 0 || isToday(session, now));
  const earlier = found.filter(session => !today.includes(session));
  return (
    <>
      <div class="acp-bar">
        <h2 class="grow">{t('Sessions')}</h2>
        {onNew !== null && <IconButton icon="plus" label={t('New session')} onClick={onNew} />}
        <IconButton icon="close" label={t('Back to the session')} onClick={onBack} />
      </div>
      <label class="acp-search">
        <Icon name="search" />
        <input
          type="search"
          aria-label={t('Search sessions')}
          placeholder={t('Search titles')}
          value={search}
          onInput={event => setSearch(event.currentTarget.value)}
        />
      </label>
      <div class="acp-sessions">
        {found.length === 0 && (
          <p class="muted acp-empty">
            {search === '' ? t('No sessions yet.') : t('Nothing found.')}
          </p>
        )}
        <Part {...props} title={t('Today')} sessions={today} now={now} />
        <Part {...props} title={t('Earlier')} sessions={earlier} now={now} />
      </div>
    </>
  );
}

interface PartProps extends Omit<SessionListProps, 'onNew' | 'onBack'> {
  readonly title: string;
  readonly now: number;
}

function Part({ title, sessions, now, current, actions, t, onOpen, onFailure }: PartProps) {
  if (sessions.length === 0) {
    return null;
  }
  return (
    <>
      <h3>{title}</h3>
      <ul role="list">
        {sessions.map(session => {
          const { session_id: id } = session;
          const name = session.title || t('New session');
          const on = id === current;
          return (
            <li key={id} class={on ? 'on' : undefined}>
              <button
                type="button"
                class="s"
                aria-current={on ? 'true' : undefined}
                onClick={() => onOpen(id)}
              >
                <Mark session={session} />
                <span class="t cut" dir="auto">
                  {name}
                </span>
                <span class="sub">
                  <span class="cut">{factsOf(session, now, t).join(' · ')}</span>
                </span>
              </button>
              {actions.closeSession !== undefined && session.status !== 'stopped' && (
                <ActionButton
                  class="ico"
                  label={t('Close %1', name)}
                  run={async () => actions.closeSession?.(id)}
                  onFailure={onFailure}
                >
                  <Icon name="close" />
                </ActionButton>
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}

function Mark({ session }: { readonly session: SessionSummary }) {
  if (session.status === 'running' || session.status === 'starting') {
    return <span class="spin" aria-hidden="true" />;
  }
  const icon: IconName = session.waiting > 0 ? 'warning' : MARKS[session.status];
  return <Icon name={icon} class={session.waiting > 0 ? 'warn' : ''} />;
}

const MARKS = { idle: 'keep', requires_action: 'warning', stopped: 'pending' } as const;

function factsOf(session: SessionSummary, now: number, t: Translate): string[] {
  const state = session.waiting > 0 ? 'Waiting for your answer' : STATES[session.status];
  const notebook = session.notebook_path.slice(session.notebook_path.lastIndexOf('/') + 1);
  const old = session.updated_at === null ? '' : age(Math.max(0, now - session.updated_at), t);
  return [t(state), session.agent_name, notebook, old].filter(fact => fact !== '');
}

const STATES: Record<SessionSummary['status'], string> = {
  starting: 'Starting',
  idle: 'Done',
  running: 'Running',
  requires_action: 'Waiting for your answer',
  stopped: 'Stopped',
};

function rank(session: SessionSummary): number {
  if (session.waiting > 0) {
    return 2;
  }
  return session.status === 'running' || session.status === 'starting' ? 1 : 0;
}

function isToday(session: SessionSummary, now: number): boolean {
  return (
    session.updated_at === null ||
    new Date(session.updated_at * 1000).toDateString() === new Date(now * 1000).toDateString()
  );
}

function matches(session: SessionSummary, search: string): boolean {
  const words = `${session.title} ${session.agent_name} ${session.notebook_path}`.toLowerCase();
  return words.includes(search.trim().toLowerCase());
}
