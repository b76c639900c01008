import { useLayoutEffect, useState } from 'preact/hooks';

import type { SessionStore } from '../../state/store';
import type { Following } from '../../delivery/client';
import { ActionButton } from '../../views/parts/buttons';
import { Icon } from '../../views/parts/icons';
import { ErrorNote } from '../../views/parts/notes';
import { TitleText } from '../../views/parts/odd_characters';
import { Facts, Mark } from '../../views/panel/sessions/session_row';
import { useScene } from '../../views/scene';
import type { SessionSummary } from '../../wire/types';
import { isRunning } from './groups';
import { SessionRequests } from './session_requests';

interface SessionCardProps {
  readonly session: SessionSummary;
  readonly now: number;
  /** Whether its requests are drawn; the server has a bound for what a page follows. */
  readonly isFollowed: boolean;
  readonly follow: (sessionId: string) => Following;
  readonly onOpen: (sessionId: string) => void;
}

/** A session in the inbox: what it asks, and *Stop* while it works. */
export function SessionCard({ session, now, isFollowed, follow, onOpen }: SessionCardProps) {
  const { actions, t } = useScene();
  const { session_id: id, waiting } = session;
  const name = session.title || t('New session');
  const [failure, setFailure] = useState('');
  // The requests stay when they are answered, so that the reader sees by whom and how.
  const [hasAsked, setHasAsked] = useState(false);
  if (waiting > 0 && isFollowed && !hasAsked) {
    setHasAsked(true);
  }
  const store = useFollowed(hasAsked ? id : '', follow);
  const open = () => onOpen(id);
  return (
    <section class="acp-inbox-session" aria-label={name} data-session={id}>
      <div class="acp-inbox-line">
        <Mark session={session} />
        <h3>
          <button type="button" class="acp-inbox-title" onClick={open}>
            <span class="cut" dir="auto">
              <TitleText text={name} />
            </span>
          </button>
        </h3>
        <span class="sub cut" dir="auto">
          <Facts session={session} now={now} t={t} />
        </span>
        {(isRunning(session) || waiting > 0) && session.read_only === '' && (
          <ActionButton
            class="btn"
            label={t('Stop %1', name)}
            run={async () => {
              setFailure('');
              await actions?.cancel(id, null);
            }}
            onFailure={setFailure}
          >
            <Icon name="stop" small />
            {t('Stop')}
          </ActionButton>
        )}
      </div>
      {failure !== '' && <ErrorNote message={failure} detail="" />}
      {store !== null && <SessionRequests store={store} waiting={waiting} onOpen={open} />}
      {waiting > 0 && !isFollowed && !hasAsked && (
        <button type="button" class="btn small" onClick={open}>
          {t('Show what it asks')}
        </button>
      )}
    </section>
  );
}

/** The store of a session while it is drawn; `null` for no session. */
export function useFollowed(
  sessionId: string,
  follow: (sessionId: string) => Following,
): SessionStore | null {
  const [store, setStore] = useState<SessionStore | null>(null);
  useLayoutEffect(() => {
    if (sessionId === '') {
      setStore(null);
      return undefined;
    }
    const following = follow(sessionId);
    setStore(following.store);
    return () => following.dispose();
  }, [sessionId, follow]);
  return store?.sessionId === sessionId ? store : null;
}
