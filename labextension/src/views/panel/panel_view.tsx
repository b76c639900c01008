import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import { SessionStore } from '../../state/store';
import { DRAFT } from '../../state/ui';
import type { Policy } from '../../wire/policy';
import type { Network, Sandbox } from '../../wire/sandbox';
import { identity } from '../i18n';
import { useAnnouncer } from '../parts/announcer';
import { messageOf } from '../parts/buttons';
import { listenToKeys } from '../parts/keyboard';
import { mounted } from '../parts/mount';
import { ConnectionNote, ErrorNote } from '../parts/notes';
import type { Mounted, PanelProps } from '../props';
import { pressInTurn } from '../request/request_keys';
import { SceneContext, useAllAdditions, useSubscription } from '../scene';
import type { Scene } from '../scene';
import { AddAgent } from './agents/agents';
import { LoginCard } from './agents/login';
import { Composer } from './composer/composer';
import { OutsidePolicy } from './composer/pickers';
import { Content, Loading } from './empty_session';
import { PanelHeader } from './header';
import { usePage } from './pages';
import {
  ActionNotice,
  CellsElsewhere,
  needsLogin,
  ReadOnlyBox,
  SessionNotes,
  whyReadOnly,
} from './session_notes';
import { sandboxParts } from './sandbox_choice';
import { SessionList } from './sessions/session_list';
import { DeletedNote, useTrash } from './sessions/trash';
import { RunningTurn, Transcript } from './transcript/transcript';

/** The side panel: a session with its composer, the sessions, or all agents. */
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
  const added = useAllAdditions(actions).get('panelPage');
  const { page, setPage, onKeyDown } = usePage(root, added);
  const addedPage = added.find(({ id }) => id === page);
  const [chosen, setChosen] = useState('');
  const [chosenPolicy, setChosenPolicy] = useState<Policy | null>(null);
  /** `undefined` until one is chosen here. */
  const [chosenSandbox, setChosenSandbox] = useState<Sandbox | null | undefined>(undefined);
  const [network, setNetwork] = useState<Network | null>(null);
  const [failure, setFailure] = useState('');
  /** Name of the agent with which a session is being created. */
  const [starting, setStarting] = useState('');
  /** Id of that session; a draft written meanwhile goes into it. */
  const creating = useRef<Promise<string> | null>(null);
  const trash = useTrash(actions.life, setFailure);
  useSubscription(useCallback(listener => store.subscribeSession(listener), [store]));
  useLayoutEffect(() => setFailure(''), [store]);
  useLayoutEffect(
    // Show the session when something was attached from elsewhere in the page.
    () => store.ui.attachments.subscribe(added => added && setPage('session')),
    [store],
  );
  useLayoutEffect(() => setPage('session'), [props.opened]);
  useLayoutEffect(() => {
    if (props.asked) {
      setPage(props.asked.page);
    }
  }, [props.asked]);
  const former = useRef(store);
  useLayoutEffect(() => {
    if (creating.current !== null && former.current !== store) {
      goOn(former.current, store, root.current);
    }
    former.current = store;
  }, [store]);
  useLayoutEffect(() => {
    const element = root.current;
    return element === null
      ? undefined
      : listenToKeys(element, event => pressInTurn(element, event, scene));
  }, [scene]);

  const { session } = store.view;
  const ready = (agents ?? []).filter(agent => agent.status === 'ready');
  const wanted = chosen === '' ? (props.startsWith?.agent ?? '') : chosen;
  const next = ready.find(agent => agent.id === wanted) ?? ready[0] ?? null;
  const policy = chosenPolicy ?? props.startsWith?.policy ?? 'ask';
  const sandbox = chosenSandbox === undefined ? (props.startsWith?.sandbox ?? null) : chosenSandbox;

  const create = (agentId: string, choice = { policy, sandbox, network }): Promise<string> => {
    const making = (async () => {
      setFailure('');
      if (actions.createSession === undefined) {
        throw new Error(t('No session is open.'));
      }
      setStarting(agents?.find(agent => agent.id === agentId)?.name ?? agentId);
      setPage('session');
      const id = await actions.createSession(
        agentId,
        choice.policy,
        choice.sandbox,
        choice.network,
      );
      actions.openSession?.(id);
      return id;
    })().finally(() => {
      if (creating.current === making) {
        creating.current = null;
        setStarting('');
      }
    });
    creating.current = making;
    return making;
  };
  const start = (agentId: string, choice = { policy, sandbox, network }) => {
    create(agentId, choice).catch((error: unknown) => setFailure(messageOf(error)));
  };
  const onStart = actions.createSession === undefined ? null : (agentId: string) => start(agentId);
  const onAdd = () => setPage('agents');
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
        {page === 'agents' ? (
          <div class="acp-panel">
            <AddAgent
              agents={agents ?? []}
              actions={actions}
              t={t}
              onStart={start}
              onBack={() => setPage('session')}
              onFailure={setFailure}
            />
            {failure !== '' && <ErrorNote message={failure} detail="" />}
          </div>
        ) : addedPage !== undefined ? (
          <div class="acp-panel">
            <addedPage.view onBack={() => setPage('session')} />
          </div>
        ) : page === 'list' && sessions !== null ? (
          <div class="acp-panel">
            <SessionList
              sessions={sessions}
              imports={props.imports ?? []}
              agents={agents ?? []}
              current={props.store?.sessionId ?? ''}
              actions={actions}
              trash={trash}
              t={t}
              onOpen={(id, turnId) => {
                trash.takeBack(id);
                actions.openSession?.(id, ...(turnId === undefined ? [] : [turnId]));
                setPage('session');
              }}
              onStart={onStart}
              onAdd={onAdd}
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
              agents={agents ?? []}
              onStart={onStart}
              onAdd={onAdd}
              more={added.map(({ id, name }) => ({ name: name(t), onChoose: () => setPage(id) }))}
              onFailure={setFailure}
            />
            <Transcript key={store.sessionId}>
              <Content
                {...props}
                session={session}
                onStart={start}
                onAdd={onAdd}
                onFailure={setFailure}
              />
              {props.failure !== null && <ErrorNote {...props.failure} />}
              {failure !== '' && <ErrorNote message={failure} detail="" />}
              {starting !== '' && <Loading words={t('Starting %1', starting)} />}
              {session !== null && (
                <SessionNotes session={session} actions={actions} onFailure={setFailure} />
              )}
              {session !== null && sessions !== null && (
                <CellsElsewhere session={session} sessions={sessions} actions={actions} />
              )}
              <ConnectionNote connection={connection} />
            </Transcript>
            {trash.holds(store.sessionId) && (
              <DeletedNote onUndo={() => trash.takeBack(store.sessionId)} />
            )}
            {session !== null && needsLogin(session) && (
              <LoginCard key={`login-${store.sessionId}`} session={session} actions={actions} />
            )}
            <ActionNotice key={`notice-${store.sessionId}`} />
            <div class="acp-compose">
              <RunningTurn />
              {readOnly === '' ? (
                <Composer
                  key={store.sessionId}
                  store={store}
                  session={session}
                  agents={agents ?? []}
                  agent={next}
                  policy={policy}
                  onPolicy={setChosenPolicy}
                  sandboxParts={sandboxParts({
                    ...{ session, turns: store.view.turns, policy, sandbox, network },
                    ...{ root, actions, t },
                    onSandbox: setChosenSandbox,
                    onNetwork: setNetwork,
                    onNewSession: (like, wanted) =>
                      start(like.agent, {
                        policy: like.policy,
                        sandbox: wanted,
                        network: like.network,
                      }),
                    onFailure: setFailure,
                  })}
                  actions={actions}
                  t={t}
                  offline={connection.state !== 'open'}
                  sendKey={props.sendKey}
                  onAdd={onAdd}
                  onAgent={id => (props.store === null ? setChosen(id) : start(id))}
                  shownStore={id => (former.current.sessionId === id ? former.current : null)}
                  toSession={() => creating.current ?? toSession(props, next?.id ?? null, create)}
                  onFailure={setFailure}
                />
              ) : (
                <ReadOnlyBox words={readOnly}>
                  <OutsidePolicy {...{ session, actions, t }} onFailure={setFailure} />
                </ReadOnlyBox>
              )}
            </div>
          </div>
        )}
        {regions}
      </div>
    </SceneContext.Provider>
  );
}

/** Moves the draft and its attachments into the session that was created for them. */
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

/** Draws a session panel into an element. */
export function mountPanel(element: HTMLElement, props: PanelProps): Mounted<PanelProps> {
  return mounted(element, props, next => <PanelView {...next} />);
}
