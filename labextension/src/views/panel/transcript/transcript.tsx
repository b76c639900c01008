import { Component } from 'preact';
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks';

import { titleOf } from '../../../state/session_view';
import type { SessionView } from '../../../state/session_view';
import { SENT } from '../../../state/ui';
import { plural } from '../../i18n';
import { useScene, useSubscription } from '../../scene';
import { ItemRow } from '../../turn/items';
import { Prompts } from '../../turn/prompts';
import { StatusLine } from '../../turn/status';
import { itemsOf, TurnBody } from '../../turn/turn_body';
import { usePinned } from './pinned';
import type { Segment } from './window_range';
import { useWindow } from './windowed';

/** Items that are fetched at once: more take longer than a frame to parse. */
const PAGE_ITEMS = 100;

/** The whole session as one log, of which only a part is mounted if it is long. */
export function Transcript({ children }: { readonly children: ComponentChildren }) {
  const { store, t } = useScene();
  useSubscription(useCallback(listener => store.subscribeSession(listener), [store]));
  const { view } = store;
  const { log, content, below, toEnd, isPinned } = usePinned(view.firstIndex + view.order.length);
  const running = view.session?.active_turn_id ?? null;
  const earlier = useEarlier(view);
  const segments = useMemo(() => segmentsOf(view), [view.order, view.session?.queue]);
  const shown = useWindow(segments, log, isPinned, earlier);
  const { from, to } = shown.range;
  const mountEnd = shown.toEnd;
  // After sending a message the user wants to see the end.
  useEffect(
    () =>
      store.ui.subscribe(SENT, () => {
        mountEnd();
        toEnd();
      }),
    [store],
  );
  // The running turn, which may have requests, is always mounted.
  const last = segments[segments.length - 1];
  const tail = to < segments.length && running !== null && last?.turnId === running ? last : null;
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
        {view.firstIndex > 0 && from === 0 && <Earlier count={view.firstIndex} onClick={earlier} />}
        <div class="acp-space" style={{ height: shown.before }} ref={shown.above} />
        {segments.slice(from, to).map(segment => (
          <Stretch key={segment.id} {...segment} />
        ))}
        <div class="acp-space" style={{ height: shown.after }} ref={shown.below} />
        {tail !== null && <Stretch key={tail.id} {...tail} />}
        {children}
      </div>
      {below > 0 && (
        <button
          type="button"
          class="btn small acp-latest"
          onClick={() => {
            shown.toEnd();
            toEnd();
            // The button is removed now.
            log.current?.focus({ preventScroll: true });
          }}
        >
          {t('%1 new below', below)}
        </button>
      )}
    </div>
  );
}

/** A turn or an item between turns; not drawn again when others are added or removed. */
class Stretch extends Component<Pick<Segment, 'id' | 'turnId'>> {
  override shouldComponentUpdate(next: Readonly<Pick<Segment, 'id' | 'turnId'>>): boolean {
    return next.id !== this.props.id || next.turnId !== this.props.turnId;
  }

  override render() {
    const { id, turnId } = this.props;
    return turnId === null ? <Between id={id} /> : <Turn turnId={turnId} />;
  }
}

function Turn({ turnId }: { readonly turnId: string }) {
  const { store } = useScene();
  useSubscription(useCallback(listener => store.subscribeTurn(turnId, listener), [store, turnId]));
  return (
    <section class="acp-turn" data-turn={turnId} data-segment={turnId}>
      <Prompts turnId={turnId} />
      <TurnBody turnId={turnId} isLog={false} />
    </section>
  );
}

function Between({ id }: { readonly id: string }) {
  const { store } = useScene();
  useSubscription(useCallback(listener => store.subscribeItem(id, listener), [store, id]));
  const item = store.view.items.get(id);
  return item === undefined ? null : (
    <div data-segment={id}>
      <ItemRow item={item} waiting={NONE} />
    </div>
  );
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

/** Fetches the page before the first loaded item, one at a time. */
function useEarlier(view: SessionView): () => void {
  const { store, actions } = useScene();
  const loading = useRef(false);
  const first = useRef(view.firstIndex);
  first.current = view.firstIndex;
  return useCallback(() => {
    const end = first.current;
    if (end > 0 && !loading.current && actions?.loadItems !== undefined) {
      loading.current = true;
      actions
        .loadItems(store.sessionId, Math.max(0, end - PAGE_ITEMS), end)
        .catch(() => undefined) // the button is still there
        .finally(() => (loading.current = false));
    }
  }, [store, actions]);
}

function segmentsOf(view: SessionView): Segment[] {
  // Queued messages are shown only in the queue, where they can be edited.
  const waiting = new Set(view.session?.queue.map(prompt => prompt.turn_id));
  const turns = new Map<string, number>();
  const segments: Segment[] = [];
  for (const id of view.order) {
    const turnId = view.items.get(id)?.turn_id ?? null;
    if (turnId !== null && (waiting.has(turnId) || isSteered(view, turnId))) {
      continue;
    }
    const index = turnId === null ? undefined : turns.get(turnId);
    const known = index === undefined ? undefined : segments[index];
    if (index !== undefined && known !== undefined) {
      segments[index] = { ...known, items: known.items + 1 };
      continue;
    }
    if (turnId !== null) {
      turns.set(turnId, segments.length);
    }
    segments.push({ id: turnId ?? id, turnId, items: 1 });
  }
  return segments;
}

/** Whether its message stands in the turn that ran when the agent took it. */
function isSteered(view: SessionView, turnId: string): boolean {
  return view.turns.get(turnId)?.stop_reason === 'steered';
}

/** The status of the running turn, above the message box. */
export function RunningTurn() {
  const { store } = useScene();
  useSubscription(useCallback(listener => store.subscribeSession(listener), [store]));
  const turnId = store.view.session?.active_turn_id ?? null;
  return turnId === null ? null : <RunningTurnStatus turnId={turnId} />;
}

function RunningTurnStatus({ turnId }: { readonly turnId: string }) {
  const { store } = useScene();
  useSubscription(useCallback(listener => store.subscribeTurn(turnId, listener), [store, turnId]));
  const { view } = store;
  const turn = view.turns.get(turnId);
  if (turn === undefined || turn.status === 'done') {
    return null;
  }
  return (
    <StatusLine
      turn={turn}
      items={itemsOf(view.byTurn.get(turnId) ?? [], view.items)}
      stop={false}
    />
  );
}
