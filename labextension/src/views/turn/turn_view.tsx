import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import { agentOf, currentName, titleOf } from '../../state/session_view';
import { identity } from '../i18n';
import { useAnnouncer } from '../parts/announcer';
import { AllowAll, Unasked } from '../parts/buttons';
import { Icon } from '../parts/icons';
import { listenToKeys } from '../parts/keyboard';
import { mounted } from '../parts/mount';
import { ConnectionNote, ErrorNote } from '../parts/notes';
import { Visible } from '../parts/odd_characters';
import { WallsBadge, WallsNote } from '../sandbox/walls';
import type { Origin } from '../../wire/types';
import type { Mounted, TurnProps } from '../props';
import { watchReader } from '../request/in_view';
import { pressInTurn } from '../request/request_keys';
import { SceneContext, useScene, useSubscription } from '../scene';
import type { Scene } from '../scene';
import { TurnBody } from './turn_body';

/** One turn: its head, its items, its status. */
export function TurnView(props: TurnProps) {
  const { store, turnId, host, actions, connection, rendering, t = identity } = props;
  const { askedBelow = false } = props;
  const { announce, regions } = useAnnouncer();
  const scene = useMemo(
    (): Scene => ({ store, host, actions, askedBelow, rendering, t, announce }),
    [store, host, actions, askedBelow, rendering, t, announce],
  );
  const root = useTurnKeys(scene);
  useSubscription(useCallback(listener => store.subscribeTurn(turnId, listener), [store, turnId]));
  const known = store.view.turns.has(turnId);
  return (
    <SceneContext.Provider value={scene}>
      <div class="acp" data-host={host} data-turn={turnId} ref={root}>
        <div class="acp-turn">
          <TurnHead turnId={turnId} />
          {known ? (
            <TurnBody key={turnId} turnId={turnId} isLog />
          ) : (
            <p class="acp-loading muted">
              <span class="spin" aria-hidden="true" />
              {t('Loading the turn')}
            </p>
          )}
          <ConnectionNote connection={connection} />
        </div>
        {regions}
      </div>
    </SceneContext.Provider>
  );
}

/**
 * Makes a turn's keys work in an element: those that answer requests, and those that move in it.
 */
export function useTurnKeys(scene: Scene) {
  const root = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = root.current;
    return element === null || scene.actions === null
      ? undefined
      : listenToKeys(element, event => pressInTurn(element, event, scene));
  }, [scene]);
  return root;
}

/** The first line of a turn: agent, session and mode, folder. */
export function TurnHead({ turnId }: { readonly turnId: string }) {
  const { store, actions, t } = useScene();
  useSubscription(useCallback(listener => store.subscribeSession(listener), [store]));
  const { view } = store;
  const turn = view.turns.get(turnId);
  // The title of an unnamed session is another prompt's text, so it is shown only if there are
  // other sessions.
  const name = actions?.sessionName?.(view.sessionId) ?? '';
  const among = name === '' ? '' : t('in “%1”', name);
  const title = view.session?.named === false ? among : titleOf(view);
  const words = [title, currentName(view.session, 'mode')].filter(word => word !== '');
  const [failure, setFailure] = useState('');
  // A finished turn shows its policy in the footer.
  const over = turn?.status === 'done' && view.saved === null;
  const policy = over ? view.session?.policy : turn?.policy;
  return (
    <>
      <div class="acp-head">
        <Icon name="agent" />
        <b>{agentOf(view).name || t('Agent')}</b>
        <span class="cut grow" dir="auto">
          <Visible text={words.join(' · ')} strictness="controls" />
        </span>
        {!over && <Unasked session={view.session} />}
        {policy === 'allow-all' && <AllowAll sessionId={view.sessionId} onFailure={setFailure} />}
        {!over && <WallsBadge session={view.session} />}
        {view.session !== null && (
          <span class="where" dir="ltr">
            {view.session.folder}
          </span>
        )}
      </div>
      {!over && <WallsNote session={view.session} />}
      <AboutError origin={turn?.origin ?? null} />
      {failure !== '' && <ErrorNote message={failure} detail="" />}
    </>
  );
}

/** The error that a prompt is about, with a link to the cell that failed; else nothing. */
export function AboutError({ origin }: { readonly origin: Origin | null }) {
  const { actions, t } = useScene();
  const error = origin?.error ?? null;
  if (origin === null || error === null) {
    return null;
  }
  const { cell, cell_id, words } = error;
  const about = cell === '' ? t('About the error') : t('About the error in cell %1', cell);
  const failed = { ...origin, cell_id };
  return (
    <p class="acp-about" dir="auto">
      {cell_id === '' || actions?.jumpTo === undefined ? (
        about
      ) : (
        <button type="button" class="link" onClick={() => actions.jumpTo?.(failed)}>
          {about}
        </button>
      )}
      {': '}
      <Visible text={words} strictness="controls" />
    </p>
  );
}

/** Draws one turn into an element. */
export function mountTurn(element: HTMLElement, props: TurnProps): Mounted<TurnProps> {
  watchReader();
  return mounted(element, props, next => <TurnView {...next} />);
}
