import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import { SessionStore } from '../state/store';
import { identity } from './i18n';
import { ErrorNote } from './items/note';
import { answerByKey } from './items/permission_keys';
import { PanelHeader } from './panel/bar';
import { Composer, DRAFT } from './panel/composer';
import { DeletedNote } from './panel/deleted_row';
import { LoginCard } from './panel/login';
import { RunningTurn } from './panel/now';
import { usePage } from './panel/page';
import { SessionList } from './panel/session_list';
import { needsLogin, ReadOnlyBox, SessionNotes, whyReadOnly } from './panel/session_notes';
import { Agents, EmptySession, Loading } from './panel/states';
import { Traffic } from './panel/traffic';
import { Transcript } from './panel/transcript';
import { useTrash } from './panel/trash';
import { useAnnouncer } from './parts/announcer';
import { messageOf } from './parts/buttons';
import { ConnectionNote } from './parts/connection_note';
import { useSubscription } from './parts/hooks';
import { listenToKeys } from './parts/keys';
import { moveInTranscript } from './parts/roving';
import { SceneContext, type Scene } from './parts/scene';
import type { PanelProps } from './props';

/** The side panel: a session with its composer. */
export function PanelView(props: PanelProps) {
  const { actions, sessions, agents, connection, rendering, t = identity } = props;
  const root = useRef<HTMLDivElement>(null);
  const nothing = useMemo(() => new SessionStore(''), []);
  const store = props.store ?? props.blank ?? nothing;
  const { announce, regions } = useAnnouncer();
  const scene = useMemo(
    (): Scene => ({ store, host: 'panel', actions, rendering, t, announce }),
    [store, actions, rendering, t, announce],
  );
  const { page, setPage, onKeyDown } = usePage(root);
  const [chosen, setChosen] = useState('');
  const [failure, setFailure] = useState('');
  /** Name of the agent that a session is being made with. */
  const [starting, setStarting] = useState('');
  /** That session; what is written meanwhile is for it. */
  const made = useRef<Promise<string> | null>(null);
  const trash = useTrash(actions.life?.remove, setFailure);
  useSubscription(useCallback(listener => store.subscribeSession(listener), [store]));
  useLayoutEffect(() => setFailure(''), [store]);
  useLayoutEffect(
    // What was attached from elsewhere in the page is to be seen.
    () => store.ui.attachments.subscribe(added => added && setPage('session')),
    [store],
  );
  useLayoutEffect(() => setPage('session'), [props.opened]);
  const former = useRef(store);
  useLayoutEffect(() => {
    if (made.current !== null && former.current !== store) {
      goOn(former.current, store, root.current);
    }
    former.current = store;
  }, [store]);
  useLayoutEffect(() => {
    const element = root.current;
    return element === null
      ? undefined
      : listenToKeys(
          element,
          event => answerByKey(element, event) || moveInTranscript(element, event, scene),
        );
  }, [scene]);

  const { session } = store.view;
  const ready = (agents ?? []).filter(agent => agent.status === 'ready');
  const next = ready.find(agent => agent.id === chosen) ?? ready[0] ?? null;

  const create = (agentId: string): Promise<string> => {
    const making = (async () => {
      setFailure('');
      if (actions.createSession === undefined) {
        throw new Error(t('No session is open.'));
      }
      setStarting(agents?.find(agent => agent.id === agentId)?.name ?? agentId);
      setPage('session');
      const id = await actions.createSession(agentId);
      actions.openSession?.(id);
      return id;
    })().finally(() => {
      if (made.current === making) {
        made.current = null;
        setStarting('');
      }
    });
    made.current = making;
    return making;
  };
  const start = (agentId: string) => {
    create(agentId).catch((error: unknown) => setFailure(messageOf(error)));
  };
  const onStart = actions.createSession === undefined ? null : start;
  const readOnly = whyReadOnly(session, t);

  return (
    <SceneContext.Provider value={scene}>
      <div
        class="acp"
        data-host="panel"
        data-view="panel"
        data-session={props.store?.sessionId}
        ref={root}
        onKeyDown={onKeyDown}
      >
        {page === 'traffic' && props.store !== null ? (
          <div class="acp-panel">
            <Traffic
              key={store.sessionId}
              sessionId={store.sessionId}
              actions={actions}
              onBack={() => setPage('session')}
            />
          </div>
        ) : page === 'list' && sessions !== null ? (
          <div class="acp-panel">
            <SessionList
              sessions={sessions}
              agents={agents ?? []}
              current={props.store?.sessionId ?? ''}
              actions={actions}
              trash={trash}
              t={t}
              onOpen={id => {
                trash.takeBack(id);
                actions.openSession?.(id);
                setPage('session');
              }}
              onStart={onStart}
              onBack={() => setPage('session')}
              onFailure={setFailure}
            />
            {failure !== '' && <ErrorNote message={failure} detail="" />}
          </div>
        ) : (
          <div class="acp-panel">
            <PanelHeader
              root={root}
              onList={() => setPage('list')}
              onTraffic={
                actions.traffic === undefined || props.store === null
                  ? null
                  : () => setPage('traffic')
              }
              agents={agents ?? []}
              onStart={onStart}
              onFailure={setFailure}
            />
            <Transcript key={store.sessionId}>
              <Content {...props} session={session} onStart={start} onFailure={setFailure} />
              {props.failure !== null && <ErrorNote {...props.failure} />}
              {failure !== '' && <ErrorNote message={failure} detail="" />}
              {starting !== '' && <Loading words={t('Starting %1', starting)} />}
              {session !== null && (
                <SessionNotes session={session} actions={actions} onFailure={setFailure} />
              )}
              <ConnectionNote connection={connection} />
            </Transcript>
            {trash.holds(store.sessionId) && (
              <DeletedNote onUndo={() => trash.takeBack(store.sessionId)} />
            )}
            {session !== null && needsLogin(session) && (
              <LoginCard key={`login-${store.sessionId}`} session={session} actions={actions} />
            )}
            <div class="acp-compose">
              <RunningTurn />
              {readOnly === '' ? (
                <Composer
                  key={store.sessionId}
                  store={store}
                  session={session}
                  agents={agents ?? []}
                  agent={next}
                  actions={actions}
                  t={t}
                  offline={connection.state !== 'open'}
                  sendKey={props.sendKey}
                  onAgent={id => (props.store === null ? setChosen(id) : start(id))}
                  shownStore={id => (former.current.sessionId === id ? former.current : null)}
                  toSession={() => made.current ?? toSession(props, next?.id ?? null, create)}
                  onFailure={setFailure}
                />
              ) : (
                <ReadOnlyBox words={readOnly} />
              )}
            </div>
          </div>
        )}
        {regions}
      </div>
    </SceneContext.Provider>
  );
}

interface ContentProps extends PanelProps {
  readonly session: SessionStore['view']['session'];
  readonly onStart: (agentId: string) => void;
  readonly onFailure: (message: string) => void;
}

/** What stands in place of a transcript as long as there is none. */
function Content({ store, session, sessions, agents, connection, ...rest }: ContentProps) {
  const { t = identity } = rest;
  if (store === null) {
    if (agents === null || sessions === null) {
      return connection.state === 'lost' ? null : <Loading words={t('Connecting to the server')} />;
    }
    return <Agents {...rest} agents={agents} t={t} />;
  }
  if (session === null) {
    return connection.state === 'lost' ? null : <Loading words={t('Loading the session')} />;
  }
  return store.view.order.length === 0 ? <EmptySession session={session} t={t} /> : null;
}

/** What was being written goes along into the session that was made for it. */
function goOn(from: SessionStore, to: SessionStore, view: HTMLElement | null): void {
  const written = from.ui.value(DRAFT);
  if (written !== '' && to.ui.value(DRAFT) === '') {
    from.ui.setValue(DRAFT, '');
    to.ui.setValue(DRAFT, written);
  }
  from.ui.attachments.take().forEach(one => to.ui.attachments.add(one));
  if (document.activeElement === document.body) {
    view?.querySelector<HTMLElement>('.acp-compose textarea')?.focus();
  }
}

async function toSession(
  { store, t = identity }: PanelProps,
  agentId: string | null,
  create: (agentId: string) => Promise<string>,
): Promise<string> {
  if (store !== null) {
    return store.sessionId;
  }
  if (agentId === null) {
    throw new Error(t('No agent is ready yet.'));
  }
  return create(agentId);
}
