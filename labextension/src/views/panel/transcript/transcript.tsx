import { Component } from 'preact';
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useMemo } from 'preact/hooks';

import type { Part } from '../../../state/runs';
import { titleOf } from '../../../state/session_view';
import { SENT } from '../../../state/ui';
import { plural } from '../../i18n';
import { useScene, useSubscription } from '../../scene';
import { ItemRow } from '../../turn/items';
import { Prompts } from '../../turn/prompts';
import { StatusLine } from '../../turn/status';
import { itemsOf, TurnBody } from '../../turn/turn_body';
import { useGoTo } from './go_to';
import { lastOf, usePages } from './pages';
import type { Page } from './pages';
import { usePinned } from './pinned';
import { segmentsOf } from './segments';
import type { Gap, Segment } from './segments';
import { useWindow } from './windowed';

/** The whole session as one log; only a part of a long one is mounted. */
export function Transcript({ children }: { readonly children: ComponentChildren }) {
  const { store, t } = useScene();
  useSubscription(useCallback(listener => store.subscribeSession(listener), [store]));
  const { view } = store;
  const pinned = usePinned(view.firstIndex + view.order.length);
  const { log, content, below, toEnd, isPinned, isAway } = pinned;
  const running = view.session?.active_turn_id ?? null;
  const pages = usePages();
  const segments = useMemo(() => segmentsOf(view), [view.order, view.earlier, view.session?.queue]);
  const shown = useWindow(segments, log, isPinned, pages.ask);
  useGoTo(segments, pinned, shown);
  // After a failure, something else may be in view by now.
  useEffect(shown.look, [pages.failed]);
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
        <div class="acp-space" style={{ height: `${shown.before}px` }} ref={shown.above} />
        {segments
          .slice(from, to)
          .map(segment =>
            segment.gap === null ? (
              <SegmentView key={segment.id} {...segment} />
            ) : (
              <Missing
                key={segment.id}
                id={segment.id}
                gap={segment.gap}
                failed={pages.failed}
                isLoading={isAway}
                load={pages.load}
              />
            ),
          )}
        <div class="acp-space" style={{ height: `${shown.after}px` }} ref={shown.below} />
        {tail !== null && <SegmentView key={tail.id} {...tail} />}
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

type SegmentProps = Pick<Segment, 'id' | 'turnId' | 'part'>;

/** A turn or an item between turns; not drawn again when others are added or removed. */
class SegmentView extends Component<SegmentProps> {
  override shouldComponentUpdate(next: Readonly<SegmentProps>): boolean {
    const { id, turnId, part } = this.props;
    return JSON.stringify([next.id, next.turnId, next.part]) !== JSON.stringify([id, turnId, part]);
  }

  override render() {
    const { id, turnId, part } = this.props;
    return turnId === null ? <Between id={id} /> : <Turn {...{ id, turnId, part }} />;
  }
}

interface TurnProps {
  readonly id: string;
  readonly turnId: string;
  readonly part: Part | null;
}

function Turn({ id, turnId, part }: TurnProps) {
  const { store } = useScene();
  useSubscription(useCallback(listener => store.subscribeTurn(turnId, listener), [store, turnId]));
  return (
    <section class="acp-turn" data-turn={turnId} data-segment={id}>
      <Prompts {...{ turnId, part }} />
      <TurnBody {...{ turnId, part }} isLog={false} />
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

interface MissingProps {
  readonly id: string;
  readonly gap: Gap;
  readonly failed: Page | null;
  /** Whether it is loaded once it is visible. */
  readonly isLoading: boolean;
  readonly load: (page: Page) => void;
}

/**
 * Items that are not loaded: a space of their estimated height, with text wherever it is visible.
 */
function Missing({ id, gap, failed, isLoading, load }: MissingProps) {
  const { t } = useScene();
  const { first, count, height } = gap;
  const isFailed = failed !== null && failed.start >= first && failed.end <= first + count;
  return (
    <div class="acp-gap" data-segment={id} style={{ height: `${height}px` }}>
      <p class="muted">
        {isFailed ? (
          <>
            {t('These items could not be loaded.')}{' '}
            <button type="button" class="btn quiet small" onClick={() => load(failed)}>
              {t('Try again')}
            </button>
          </>
        ) : (
          isLoading && t('Loading the turns')
        )}
      </p>
      <button type="button" class="btn quiet small acp-earlier" onClick={() => load(lastOf(gap))}>
        {plural(t, count, 'Show 1 earlier item', 'Show earlier items (%1)')}
      </button>
    </div>
  );
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
