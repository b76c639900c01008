import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';

import type { SessionView } from '../../state/view';
import type { UserMessage } from '../../wire/types';
import { plural } from '../parts/format';
import { useSubscription } from '../parts/hooks';
import { Icon } from '../parts/icons';
import { useScene } from '../parts/scene';
import { titleOf } from '../turn/facts';
import { ItemRow } from '../turn/row';
import { TurnBody } from '../turn/turn_body';
import { usePinned } from './pinned';

/** Turns mounted at first, and more with each click. */
const PAGE_ITEMS = 200;
/** Above this many items only the newest are mounted. */
const MAX_ITEMS = 400;

/** A stretch of the transcript: a turn, or an item between turns. */
interface Segment {
  readonly id: string;
  readonly turnId: string | null;
}

/** The whole session as one log. */
export function Transcript({ children }: { readonly children: ComponentChildren }) {
  const { store, t } = useScene();
  useSubscription(useCallback(listener => store.subscribeSession(listener), [store]));
  const { view } = store;
  const [wanted, setWanted] = useState(PAGE_ITEMS);
  const limit = view.order.length <= MAX_ITEMS ? Math.max(wanted, MAX_ITEMS) : wanted;
  const shown = view.order.slice(-limit);
  const before = view.firstIndex + view.order.length - shown.length;
  const { log, content, below, toEnd } = usePinned(view.firstIndex + view.order.length);
  const running = view.session?.active_turn_id ?? null;
  const asEarlier = useEarlier(view, log);
  const earlier = () => {
    asEarlier();
    setWanted(limit + PAGE_ITEMS);
  };
  return (
    <div
      class="acp-log"
      role="log"
      aria-live="off"
      aria-label={titleOf(view) || t('Session')}
      aria-busy={running !== null}
      tabIndex={0}
      ref={log}
    >
      <div ref={content}>
        {before > 0 && <Earlier count={before} onClick={earlier} />}
        {segmentsOf(shown, view).map(segment =>
          segment.turnId === null ? (
            <Between key={segment.id} id={segment.id} />
          ) : (
            <Turn key={segment.turnId} turnId={segment.turnId} />
          ),
        )}
        {children}
      </div>
      {below > 0 && (
        <button type="button" class="btn small acp-latest" onClick={toEnd}>
          {t('%1 new below', below)}
        </button>
      )}
    </div>
  );
}

function Turn({ turnId }: { readonly turnId: string }) {
  const { store } = useScene();
  useSubscription(useCallback(listener => store.subscribeTurn(turnId, listener), [store, turnId]));
  const { view } = store;
  const prompts = (view.byTurn.get(turnId) ?? []).flatMap(id => {
    const item = view.items.get(id);
    return item?.kind === 'user_message' ? [item] : [];
  });
  return (
    <section class="acp-turn" data-turn={turnId}>
      {prompts.map(prompt => (
        <Prompt key={prompt.id} item={prompt} turnId={turnId} />
      ))}
      <TurnBody turnId={turnId} isLog={false} />
    </section>
  );
}

/** A prompt, like a cell; where it came from, if it came from one. */
function Prompt({ item, turnId }: { readonly item: UserMessage; readonly turnId: string }) {
  const { store, actions, t } = useScene();
  const origin = store.view.turns.get(turnId)?.origin ?? null;
  return (
    <div class="acp-user">
      <div dir="auto">{item.text}</div>
      {item.attachments.map((attachment, index) => (
        <span key={index} class="from">
          <Icon name={attachment.type === 'image' ? 'image' : 'attach'} small />
          {attachment.name}
        </span>
      ))}
      {origin !== null && origin.cell_id !== '' && (
        <span class="from">
          <Icon name="cell" small />
          {actions?.jumpTo === undefined ? (
            t('from a cell')
          ) : (
            <button type="button" class="link" onClick={() => actions.jumpTo?.(origin)}>
              {t('from a cell')}
            </button>
          )}
        </span>
      )}
    </div>
  );
}

function Between({ id }: { readonly id: string }) {
  const { store } = useScene();
  useSubscription(useCallback(listener => store.subscribeItem(id, listener), [store, id]));
  const item = store.view.items.get(id);
  return item === undefined ? null : <ItemRow item={item} waiting={NONE} />;
}

const NONE: readonly string[] = [];

function Earlier({ count, onClick }: { readonly count: number; readonly onClick: () => void }) {
  const { t } = useScene();
  return (
    <button type="button" class="btn quiet small acp-earlier" onClick={onClick}>
      {plural(t, count, 'Show 1 earlier item', 'Show earlier items (%1)')}
    </button>
  );
}

/** Fetches the page before the window if it is needed, and keeps what is read in place. */
function useEarlier(view: SessionView, log: { readonly current: HTMLElement | null }): () => void {
  const { store, actions } = useScene();
  const anchor = useRef<number | null>(null);
  useLayoutEffect(() => {
    const element = log.current;
    if (element !== null && anchor.current !== null) {
      element.scrollTop = element.scrollHeight - anchor.current;
      anchor.current = null;
    }
  });
  return () => {
    const element = log.current;
    anchor.current = element === null ? null : element.scrollHeight - element.scrollTop;
    if (view.firstIndex > 0) {
      const start = Math.max(0, view.firstIndex - PAGE_ITEMS);
      void actions?.loadItems?.(store.sessionId, start, view.firstIndex);
    }
  };
}

function segmentsOf(ids: readonly string[], view: SessionView): Segment[] {
  const segments: Segment[] = [];
  const seen = new Set<string>();
  for (const id of ids) {
    const turnId = view.items.get(id)?.turn_id ?? null;
    if (turnId === null) {
      segments.push({ id, turnId });
    } else if (!seen.has(turnId)) {
      seen.add(turnId);
      segments.push({ id, turnId });
    }
  }
  return segments;
}
