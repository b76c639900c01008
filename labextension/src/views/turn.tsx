import { useCallback, useLayoutEffect, useMemo, useRef } from 'preact/hooks';

import { identity } from './i18n';
import { answerByKey } from './items/permission_keys';
import { useAnnouncer } from './parts/announcer';
import { ConnectionNote } from './parts/connection_note';
import { useSubscription } from './parts/hooks';
import { listenToKeys } from './parts/keys';
import { moveInTranscript } from './parts/roving';
import { SceneContext, type Scene } from './parts/scene';
import type { TurnProps } from './props';
import { TurnHead } from './turn/head';
import { TurnBody } from './turn/turn_body';

/** One turn: the first line, its items, its status. */
export function TurnView(props: TurnProps) {
  const { store, turnId, host, actions, connection, rendering, t = identity } = props;
  const root = useRef<HTMLDivElement>(null);
  const { announce, regions } = useAnnouncer();
  const scene = useMemo(
    (): Scene => ({ store, host, actions, rendering, t, announce }),
    [store, host, actions, rendering, t, announce],
  );
  useLayoutEffect(() => {
    const element = root.current;
    return element === null || actions === null
      ? undefined
      : listenToKeys(
          element,
          event => answerByKey(element, event) || moveInTranscript(element, event, scene),
        );
  }, [scene]);
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
