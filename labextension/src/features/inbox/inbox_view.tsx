import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import { SessionStore } from '../../state/store';
import { grouped, identity } from '../../views/i18n';
import { useAnnouncer } from '../../views/parts/announcer';
import { mounted } from '../../views/parts/mount';
import { ConnectionNote } from '../../views/parts/notes';
import type { Mounted } from '../../views/props';
import { watchReader } from '../../views/request/in_view';
import { SceneContext } from '../../views/scene';
import type { Scene } from '../../views/scene';
import type { SessionSummary } from '../../wire/types';
import { groupsOf } from './groups';
import type { InboxProps } from './props';
import { SessionCard } from './session_card';
import { SessionPage } from './session_page';

/** Most sessions whose requests are drawn; of more, the questions are a click away. */
const FOLLOWED = 20;

/** Number of ended sessions that are listed at first, and added with each click. */
const PAGE = 20;

/** What waits for an answer, what runs and what has ended; or one of these sessions. */
export function InboxView(props: InboxProps) {
  const { opened, connection, actions, rendering, t = identity } = props;
  const { announce, regions } = useAnnouncer();
  const blank = useMemo(() => new SessionStore(''), []);
  const scene = useMemo(
    (): Scene => ({ store: blank, host: 'cell', actions, rendering, t, announce }),
    [blank, actions, rendering, t, announce],
  );
  const root = useRef<HTMLDivElement>(null);
  const former = useRef(opened);
  // The focus follows: into the session, and back to its line.
  useLayoutEffect(() => {
    const from = former.current;
    former.current = opened;
    if (from !== opened) {
      const line = `[data-session="${CSS.escape(from)}"] button`;
      const next = root.current?.querySelector<HTMLElement>(opened === '' ? line : '.acp-back');
      (next ?? root.current)?.focus();
    }
  }, [opened]);
  return (
    <SceneContext.Provider value={scene}>
      <div class="acp acp-inbox" data-host="cell" tabIndex={-1} ref={root}>
        {opened === '' ? (
          <>
            <ConnectionNote connection={connection} />
            <List {...props} t={t} />
          </>
        ) : (
          <SessionPage key={opened} {...props} t={t} />
        )}
        {regions}
      </div>
    </SceneContext.Provider>
  );
}

function List({ sessions, connection, follow, open, address, t = identity }: InboxProps) {
  const [most, setMost] = useState(PAGE);
  const now = useMinute();
  if (sessions === null) {
    return connection.state === 'lost' ? null : (
      <p class="acp-loading muted" role="status">
        <span class="spin" aria-hidden="true" />
        {t('Loading')}
      </p>
    );
  }
  const { waiting, running, ended } = groupsOf(sessions);
  const followed = new Set(waiting.slice(0, FOLLOWED));
  const card = (session: SessionSummary) => (
    <SessionCard
      key={session.session_id}
      session={session}
      now={now}
      isFollowed={followed.has(session)}
      follow={follow}
      onOpen={open}
    />
  );
  const heading = (id: string, words: string) => <h2 key={id}>{words}</h2>;
  // One list, so that a session that changes its group is moved, with what is open in it.
  const lines = [
    heading('waiting', t('Waiting for your answer')),
    waiting.length === 0 && (
      <p key="none" class="muted">
        {t('Nothing waits for your answer.')}
      </p>
    ),
    ...waiting.map(card),
    running.length > 0 && heading('running', t('Running')),
    ...running.map(card),
    ended.length > 0 && heading('ended', t('Ended')),
    ...ended.slice(0, most).map(card),
  ];
  return (
    <div class="acp-inbox-list">
      {lines}
      {ended.length > most && (
        <button type="button" class="btn quiet small" onClick={() => setMost(most + PAGE)}>
          {t('Show more (%1)', grouped(ended.length - most))}
        </button>
      )}
      {address !== undefined && (
        <p class="muted acp-inbox-address">
          {t('The same page for a phone:')}{' '}
          <a href={address} target="_blank" rel="noopener noreferrer">
            {address}
          </a>
        </p>
      )}
    </div>
  );
}

const MINUTE_MS = 60_000;

/** Seconds since the epoch, updated each minute: the ages of sessions have no seconds. */
function useMinute(): number {
  const [now, setNow] = useState(() => Date.now() / 1000);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() / 1000), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** Draws the inbox into an element. */
export function mountInbox(element: HTMLElement, props: InboxProps): Mounted<InboxProps> {
  watchReader();
  return mounted(element, props, next => <InboxView {...next} />);
}
