import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { SessionStore } from '../../state/store';
import { pendingRequest } from '../../state/items';
import { plural } from '../../views/i18n';
import { SceneContext, useScene } from '../../views/scene';
import type { Scene } from '../../views/scene';
import { ItemRow } from '../../views/turn/items';
import { useWaiting } from '../../views/turn/turn_body';
import { useTurnKeys } from '../../views/turn/turn_view';
import type { Item } from '../../wire/types';

interface SessionRequestsProps {
  readonly store: SessionStore;
  /** Number of requests that wait, as the server counts them. */
  readonly waiting: number;
  readonly onOpen: () => void;
}

/** The open requests of a session with all they have, and how those that were here ended. */
export function SessionRequests({ store, waiting, onOpen }: SessionRequestsProps) {
  const outer = useScene();
  const scene = useMemo((): Scene => ({ ...outer, store }), [outer, store]);
  const root = useTurnKeys(scene);
  const items = useAsked(store);
  const ids = useWaiting(items);
  const { t } = outer;
  const isLoaded = store.view.seq !== null;
  const missing = waiting - items.filter(item => pendingRequest(item) !== null).length;
  return (
    <SceneContext.Provider value={scene}>
      <div class="acp acp-inbox-requests" data-host="cell" ref={root}>
        {!isLoaded && (
          <p class="acp-loading muted">
            <span class="spin" aria-hidden="true" />
            {t('Loading')}
          </p>
        )}
        {items.map(item => (
          <ItemRow key={item.id} item={item} waiting={ids} />
        ))}
        {isLoaded && missing > 0 && (
          <button type="button" class="btn small" onClick={onOpen}>
            {plural(t, missing, 'Show 1 earlier question', 'Show %1 earlier questions')}
          </button>
        )}
      </div>
    </SceneContext.Provider>
  );
}

/** The items whose requests are open, or were while this is drawn; in order. */
function useAsked(store: SessionStore): readonly Item[] {
  const seen = useRef(new Set<string>());
  const [items, setItems] = useState<readonly Item[]>([]);
  useLayoutEffect(() => {
    const look = () => {
      const asked = [...store.view.items.values()].filter(item => {
        if (pendingRequest(item) !== null) {
          seen.current.add(item.id);
        }
        return seen.current.has(item.id);
      });
      setItems(old => (isSame(old, asked) ? old : asked));
    };
    look();
    return store.subscribe(look);
  }, [store]);
  return items;
}

function isSame(one: readonly Item[], other: readonly Item[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}
