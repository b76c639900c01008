import { useEffect, useState } from 'preact/hooks';

import type { AgentEntry, FoundSessions, FoundText, SessionSummary } from '../../../wire/types';
import type { Actions } from '../../actions';
import { grouped, plural } from '../../i18n';
import type { Translate } from '../../i18n';
import { IconButton, messageOf } from '../../parts/buttons';
import { Icon } from '../../parts/icons';
import { ErrorNote } from '../../parts/notes';
import { TitleText, Visible } from '../../parts/odd_characters';
import { NewSession } from '../agents/agents';
import { AgentSessionsPart } from './agent_sessions';
import { SessionRow } from './session_row';
import type { Trash } from './trash';

/** Sessions that are listed at first, and added with each click. */
const PAGE = 100;

/** Pause in typing after which what was said is searched. */
const TYPED_MILLISECONDS = 300;

/** Fewer characters are looked for in titles only. */
const LEAST_CHARACTERS = 2;

/** Most places that are listed. */
const MOST_HITS = 100;

interface SessionListProps {
  readonly sessions: readonly SessionSummary[];
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
        {found.length === 0 && (search === '' || archived.length === 0) && (
          <p class="muted acp-empty">
            {search !== ''
              ? t('No title matches.')
              : t(archived.length === 0 ? 'No sessions yet.' : 'All sessions are archived.')}
          </p>
        )}
        <Part {...props} title={t('Today')} sessions={today} now={now} />
        <Part {...props} title={t('Earlier')} sessions={earlier} now={now} />
        {found.length > most && (
          <button type="button" class="btn quiet small" onClick={() => setMost(most + PAGE)}>
            {t('Show more (%1)', grouped(found.length - most))}
          </button>
        )}
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
          <Part {...props} title={t('Archived')} sessions={archived.slice(0, most)} now={now} />
        )}
        {said !== null && said.text !== '' && <SaidPart {...props} said={said} />}
        {search === '' && <AgentSessionsPart {...props} />}
      </div>
    </>
  );
}

/** What a search in prompts and answers has found so far. */
interface Said {
  /** What is looked for; empty for nothing. */
  readonly text: string;
  readonly hits: readonly FoundText[];
  /** `null` until the first reply. */
  readonly searched: Pick<FoundSessions, 'searched' | 'total'> | null;
  readonly running: boolean;
  /** Whether there may be more. */
  readonly cut: boolean;
  readonly failure: string;
}

const NOTHING: Said = {
  text: '',
  hits: [],
  searched: null,
  running: false,
  cut: false,
  failure: '',
};

/** Searches what was said, part by part, until another text is typed; `null` where it can't. */
function useSaid(search: string, look: Actions['search']): Said | null {
  const [said, setSaid] = useState(NOTHING);
  const text = search.trim();
  useEffect(() => {
    if (look === undefined || text.length < LEAST_CHARACTERS) {
      setSaid(NOTHING);
      return undefined;
    }
    let stopped = false;
    let found: Said = { ...NOTHING, text, running: true };
    const tell = (next: Partial<Said>) => {
      found = { ...found, ...next };
      setSaid(found);
    };
    const run = async () => {
      let cursor = '';
      do {
        const part = await look(text, cursor);
        if (stopped) {
          return;
        }
        const hits = [...found.hits, ...part.hits].slice(0, MOST_HITS);
        const full = hits.length === MOST_HITS;
        cursor = full ? '' : part.next_cursor;
        const cut = found.cut || part.cut || full;
        tell({ hits, searched: part, running: cursor !== '', cut });
      } while (cursor !== '');
    };
    tell({});
    const timer = setTimeout(() => {
      run().catch((error: unknown) => {
        if (!stopped) {
          tell({ running: false, failure: messageOf(error) });
        }
      });
    }, TYPED_MILLISECONDS);
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, [text, look]);
  return look === undefined ? null : said;
}

interface SaidPartProps extends Pick<SessionListProps, 'sessions' | 'trash' | 't' | 'onOpen'> {
  readonly said: Said;
}

/** Prompts and answers that hold what is looked for; a click opens the session there. */
function SaidPart({ said, sessions, trash, t, onOpen }: SaidPartProps) {
  const name = t('In messages');
  const titles = new Map(sessions.map(session => [session.session_id, session.title]));
  const hits = said.hits.filter(({ session_id: id }) => titles.has(id) && !trash.hasSent(id));
  return (
    <section class="acp-said" aria-label={name} aria-busy={said.running}>
      <h3>{name}</h3>
      <p class="muted" role="status">
        {said.running && <span class="spin" aria-hidden="true" />}
        {saidWords(said, hits.length, t)}
      </p>
      {said.failure !== '' && <ErrorNote message={said.failure} detail="" />}
      <ul role="list" aria-label={name}>
        {hits.map(hit => (
          <li key={`${hit.session_id} ${hit.turn_id} ${hit.where}`}>
            <button type="button" class="s" onClick={() => onOpen(hit.session_id, hit.turn_id)}>
              <Icon name={hit.where === 'prompt' ? 'cell' : 'agent'} />
              <span class="t cut" dir="auto">
                <TitleText text={titles.get(hit.session_id) || t('New session')} />
              </span>
              <span class="sub">
                <span dir="auto">
                  <span class="vh">{hit.where === 'prompt' ? t('Prompt') : t('Answer')}: </span>
                  <Visible text={hit.before} strictness="controls" />
                  <mark>
                    <Visible text={hit.match} strictness="controls" />
                  </mark>
                  <Visible text={hit.after} strictness="controls" />
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function saidWords({ searched, running, cut, failure }: Said, count: number, t: Translate): string {
  if (running) {
    return searched === null
      ? t('Searching messages')
      : t('Searched %1 of %2 sessions', grouped(searched.searched), grouped(searched.total));
  }
  if (failure !== '') {
    return '';
  }
  const words = count === 0 ? t('Nothing found.') : plural(t, count, '1 place', '%1 places');
  return cut ? `${words} ${t('There may be more; type more words.')}` : words;
}

interface PartProps extends Omit<SessionListProps, 'onStart' | 'onAdd' | 'onBack' | 'agents'> {
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
