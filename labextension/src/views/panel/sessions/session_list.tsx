import { useState } from 'preact/hooks';

import type { AgentEntry, ImportProgress, SessionSummary } from '../../../wire/types';
import type { Actions } from '../../actions';
import { grouped } from '../../i18n';
import type { Translate } from '../../i18n';
import { IconButton } from '../../parts/buttons';
import { Icon } from '../../parts/icons';
import { NewSession } from '../agents/agents';
import { AgentSessionsPart } from './agent_sessions';
import { ImportsPart } from './imports';
import { SaidPart, useSaid } from './message_search';
import { SessionRow } from './session_row';
import type { Trash } from './trash';

/** Number of sessions that are listed at first, and added with each click. */
const PAGE = 100;

interface SessionListProps {
  readonly sessions: readonly SessionSummary[];
  readonly imports: readonly ImportProgress[];
  readonly agents: readonly AgentEntry[];
  readonly current: string;
  readonly actions: Actions;
  readonly trash: Trash;
  readonly t: Translate;
  /** Opens a session; with a turn, at that turn. */
  readonly onOpen: (sessionId: string, turnId?: string) => void;
  readonly onStart: ((agentId: string) => void) | null;
  readonly onAdd: () => void;
  readonly onBack: () => void;
  readonly onFailure: (message: string) => void;
}

/** All sessions: waiting ones first, then running ones, then by time. */
export function SessionList(props: SessionListProps) {
  const { sessions, agents, trash, t, onStart, onAdd, onBack } = props;
  const [search, setSearch] = useState('');
  const [most, setMost] = useState(PAGE);
  const [maxArchived, setMostArchived] = useState(PAGE);
  const [open, setOpen] = useState(false);
  const said = useSaid(search, props.actions.search);
  const now = Date.now() / 1000;
  const matching = sessions
    .filter(session => matches(session, search) && !trash.hasSent(session.session_id))
    .sort(
      (one, other) => rank(other) - rank(one) || (other.updated_at ?? 0) - (one.updated_at ?? 0),
    );
  const found = matching.filter(session => !session.archived);
  const archived = matching.filter(session => session.archived);
  const shown = found.slice(0, most);
  const today = shown.filter(session => rank(session) > 0 || isToday(session, now));
  const earlier = shown.filter(session => !today.includes(session));
  return (
    <>
      <div class="acp-bar">
        <h2 class="grow">{t('Sessions')}</h2>
        {onStart !== null && <NewSession {...{ agents, t, onStart, onAdd }} />}
        <IconButton icon="close" label={t('Back to the session')} onClick={onBack} />
      </div>
      <label class="acp-search">
        <Icon name="search" />
        <input
          type="search"
          aria-label={t('Search sessions')}
          placeholder={said === null ? t('Search titles') : t('Search titles and messages')}
          maxLength={200}
          value={search}
          onInput={event => setSearch(event.currentTarget.value)}
        />
      </label>
      <div class="acp-sessions">
        <ImportsPart {...props} />
        {found.length === 0 && (search === '' || archived.length === 0) && (
          <p class="muted acp-empty">
            {search !== ''
              ? t('No title matches.')
              : t(archived.length === 0 ? 'No sessions yet.' : 'All sessions are archived.')}
          </p>
        )}
        <Part {...props} title={t('Today')} sessions={today} now={now} />
        <Part {...props} title={t('Earlier')} sessions={earlier} now={now} />
        <More rest={found.length - most} t={t} onMore={() => setMost(most + PAGE)} />
        {search === '' && archived.length > 0 && (
          <button
            type="button"
            class="btn quiet small"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            {open ? t('Hide archived') : t('Show archived (%1)', grouped(archived.length))}
          </button>
        )}
        {(open || search !== '') && (
          <>
            <Part
              {...props}
              title={t('Archived')}
              sessions={archived.slice(0, maxArchived)}
              now={now}
            />
            <More
              rest={archived.length - maxArchived}
              t={t}
              onMore={() => setMostArchived(maxArchived + PAGE)}
            />
          </>
        )}
        {said !== null && said.text !== '' && <SaidPart {...props} said={said} />}
        {search === '' && <AgentSessionsPart {...props} />}
      </div>
    </>
  );
}

interface PartProps extends Omit<
  SessionListProps,
  'onStart' | 'onAdd' | 'onBack' | 'agents' | 'imports'
> {
  readonly title: string;
  readonly now: number;
}

function Part({ title, sessions, current, ...rest }: PartProps) {
  if (sessions.length === 0) {
    return null;
  }
  return (
    <>
      <h3>{title}</h3>
      <ul role="list" aria-label={title}>
        {sessions.map(session => (
          <SessionRow
            key={session.session_id}
            session={session}
            on={session.session_id === current}
            {...rest}
          />
        ))}
      </ul>
    </>
  );
}

interface MoreProps extends Pick<SessionListProps, 't'> {
  /** Number of sessions that are not shown. */
  readonly rest: number;
  readonly onMore: () => void;
}

function More({ rest, t, onMore }: MoreProps) {
  return rest <= 0 ? null : (
    <button type="button" class="btn quiet small" onClick={onMore}>
      {t('Show more (%1)', grouped(rest))}
    </button>
  );
}

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
