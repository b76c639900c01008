import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { AgentSession, SessionSummary } from '../../../wire/types';
import type { Actions, SessionLife } from '../../actions';
import type { Translate } from '../../i18n';
import { ActionButton, messageOf } from '../../parts/buttons';
import { Icon } from '../../parts/icons';

interface AgentSessionsProps {
  readonly sessions: readonly SessionSummary[];
  readonly actions: Actions;
  readonly t: Translate;
  readonly onOpen: (sessionId: string) => void;
  readonly onFailure: (message: string) => void;
}

/** Sessions that agents store themselves and that are not in this list; fetched on a click. */
export function AgentSessionsPart({ sessions, actions, ...rest }: AgentSessionsProps) {
  const { life } = actions;
  if (life === undefined) {
    return null;
  }
  const listing = sessions.filter(session => session.can.includes('list'));
  const agents = new Map(listing.map(session => [session.agent_id, session.agent_name]));
  const archives = (id: string) =>
    listing.some(({ agent_id: agent, can }) => agent === id && can.includes('archive'));
  return (
    <>
      {[...agents].map(([id, name]) => (
        <OfAgent key={id} {...{ id, name, life }} archives={archives(id)} {...rest} />
      ))}
    </>
  );
}

interface OfAgentProps extends Omit<AgentSessionsProps, 'sessions' | 'actions'> {
  readonly id: string;
  readonly name: string;
  readonly life: SessionLife;
  /** Whether the agent has an archive. */
  readonly archives: boolean;
}

function OfAgent({ id, name, life, archives, t, onOpen, onFailure }: OfAgentProps) {
  const [found, setFound] = useState<readonly AgentSession[] | null>(null);
  const [cursor, setCursor] = useState('');
  const [untrusted, setUntrusted] = useState('');
  const [archived, setArchived] = useState(false);
  const part = useRef<HTMLElement>(null);
  const added = useRef<number | null>(null);
  // The pressed button may be gone; the focus goes to the first new entry.
  useLayoutEffect(() => {
    const box = part.current;
    if (added.current !== null && box?.contains(document.activeElement) === false) {
      const entry = box.querySelectorAll<HTMLElement>('li button')[added.current];
      (entry ?? box.querySelector('h3'))?.focus();
    }
    added.current = null;
  }, [found]);
  const load = async (from: string, all: boolean) => {
    const page = await life.listOfAgent(id, from, all);
    setArchived(all);
    const others = page.sessions.filter(session => session.session_id === '');
    const before = from === '' ? [] : (found ?? []);
    added.current = part.current?.contains(document.activeElement) ? before.length : null;
    setFound([...before, ...others]);
    // A cursor that repeats means the end.
    setCursor(page.next_cursor === from ? '' : page.next_cursor);
  };
  const open = async (session: AgentSession, trust: boolean) => {
    try {
      onOpen(await life.openOfAgent(id, session, trust));
    } catch (error) {
      if (trust || !needsTrust(error)) {
        throw error;
      }
      setUntrusted(session.agent_session_id);
      onFailure(messageOf(error));
    }
  };
  return (
    <section class="acp-others" aria-label={t('Other sessions of %1', name)} ref={part}>
      <h3 tabIndex={-1}>{t('Other sessions of %1', name)}</h3>
      {found === null ? (
        <ActionButton class="btn quiet small" run={() => load('', false)} onFailure={onFailure}>
          {t('Show them')}
        </ActionButton>
      ) : (
        <ul role="list">
          {found.map(session => (
            <li key={session.agent_session_id}>
              <span class="s">
                <Icon name="agent" />
                <span class="t cut" dir="auto">
                  {session.title || session.agent_session_id}
                </span>
                <span class="sub">
                  <span class="cut" dir="ltr" title={session.cwd}>
                    {[session.archived ? t('Archived') : '', dayOf(session.updated_at), session.cwd]
                      .filter(each => each !== '')
                      .join(' · ')}
                  </span>
                </span>
              </span>
              <ActionButton
                class="btn small"
                label={t('Open %1', session.title || session.agent_session_id)}
                run={() => open(session, untrusted === session.agent_session_id)}
                onFailure={onFailure}
              >
                {untrusted === session.agent_session_id
                  ? t('Trust the folder and open')
                  : t('Open')}
              </ActionButton>
            </li>
          ))}
        </ul>
      )}
      {found?.length === 0 && cursor === '' && (
        <p class="muted acp-empty">{t('It has no other sessions.')}</p>
      )}
      {found !== null && cursor !== '' && (
        <ActionButton
          class="btn quiet small"
          run={() => load(cursor, archived)}
          onFailure={onFailure}
        >
          {t('Show more')}
        </ActionButton>
      )}
      {found !== null && archives && !archived && (
        <ActionButton class="btn quiet small" run={() => load('', true)} onFailure={onFailure}>
          {t('Show archived')}
        </ActionButton>
      )}
    </section>
  );
}

function needsTrust(error: unknown): boolean {
  return error instanceof Error && 'reason' in error && error.reason === 'folder_not_trusted';
}

/** The date of a time that an agent sent; empty if it can't be parsed. */
function dayOf(text: string): string {
  const time = Date.parse(text);
  return Number.isNaN(time) ? '' : new Date(time).toLocaleDateString();
}
