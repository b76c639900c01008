import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import { isTool } from '../../state/items';
import { idsOf } from '../../state/runs';
import type { Part } from '../../state/runs';
import { titleOf } from '../../state/session_view';
import type { Item, TurnState } from '../../wire/types';
import { countOwn, unknownWords } from '../changes/authors';
import { Changes } from '../changes/changes';
import { changesOf } from '../changes/reported';
import { plural } from '../i18n';
import { ErrorNote } from '../parts/notes';
import { useScene, useSubscription } from '../scene';
import { PlanBlock } from '../tool/plan';
import { Footer } from './footer';
import { Rows } from './items';
import { layOut } from './layout';
import { StatusLine } from './status';
import { useSettled, WorkLog } from './work_log';

interface TurnBodyProps {
  readonly turnId: string;
  /** Whether it has the role `log`; in the panel the whole session has it. */
  readonly isLog: boolean;
  /** Which of its items are drawn; all that are loaded by default. */
  readonly part?: Part | null;
}

/** The body of a turn: plan, items, changes, and status or footer. */
export function TurnBody({ turnId, isLog, part = null }: TurnBodyProps) {
  const { store, t } = useScene();
  useSubscription(useCallback(listener => store.subscribeTurn(turnId, listener), [store, turnId]));
  const { view } = store;
  // The end of a turn is drawn below its last part.
  const ends = part?.last !== false;
  const turn = ends ? view.turns.get(turnId) : undefined;
  const items = itemsOf(idsOf(view, turnId, part), view.items);
  const done = turn === undefined || turn.status === 'done' || view.saved !== null;
  const root = useRef<HTMLDivElement>(null);
  const settled = useSettled(done, root) && part?.alone !== true;
  const [failure, setFailure] = useState('');
  useTurnAnnouncements(turn, ends ? items : NONE);
  const waiting = useWaiting(items);
  const { log, rows } = layOut(items, settled);
  const plans = settled ? [] : items.filter(item => item.kind === 'plan');
  const width = useWidth(root, plans.length > 0);
  const id = ends ? turnId : `${turnId} ${part.from}`;
  return (
    <div class="acp-body-of-turn" ref={root}>
      {width !== null &&
        plans.map(plan => <PlanBlock key={plan.id} item={plan} width={width} running={!done} />)}
      <div
        class="acp-items"
        {...(isLog
          ? {
              role: 'log',
              'aria-live': 'off',
              'aria-label': titleOf(view) || t('Turn'),
              'aria-busy': !done,
            }
          : {})}
      >
        {log.length > 0 && <WorkLog turnId={id} rows={log} />}
        <Rows id={`turn ${id}`} rows={rows} waiting={waiting} />
        <Failure turn={turn} items={items} />
      </div>
      {done && ends && (
        <Changes
          turnId={turnId}
          items={items}
          changes={turn?.changes ?? null}
          unknown={turn?.changes_unknown}
        />
      )}
      {failure !== '' && <ErrorNote message={failure} detail="" />}
      {!done && isLog && <StatusLine turn={turn} items={items} stop onFailure={setFailure} />}
      {done && turn !== undefined && <Footer turn={turn} items={items} onFailure={setFailure} />}
    </div>
  );
}

const NONE: readonly Item[] = [];

/** Why the turn failed, unless one of its items says so. */
function Failure({
  turn,
  items,
}: {
  readonly turn: TurnState | undefined;
  readonly items: readonly Item[];
}) {
  const failure = turn?.failure ?? null;
  if (
    failure === null ||
    items.some(item => item.kind === 'error' && item.message === failure.message)
  ) {
    return null;
  }
  return <ErrorNote message={failure.message} detail={failure.detail} />;
}

export function itemsOf(ids: readonly string[], items: ReadonlyMap<string, Item>): Item[] {
  return ids.flatMap(id => items.get(id) ?? []);
}

/** Ids of waiting requests, in order; the same list while they are the same. */
export function useWaiting(items: readonly Item[]): readonly string[] {
  const ids = items
    .filter(isTool)
    .flatMap(({ permission }) => (permission?.state === 'pending' ? [permission.request_id] : []));
  return useMemo(() => ids, [ids.join('\n')]);
}

/** Width of the view, read only when first needed, since reading it causes a layout. */
function useWidth(root: RefObject<HTMLElement | null>, isNeeded: boolean): number | null {
  const [width, setWidth] = useState<number | null>(null);
  useLayoutEffect(() => {
    if (isNeeded) {
      setWidth(known => known ?? root.current?.clientWidth ?? 0);
    }
  }, [isNeeded]);
  return width;
}

/** Announces the steps and the end of a turn to screen readers. */
export function useTurnAnnouncements(turn: TurnState | undefined, items: readonly Item[]): void {
  const { announce, t } = useScene();
  const step = turn?.status === 'done' ? '' : currentStep(items, t);
  useEffect(() => {
    if (step !== '') {
      announce(step, 'polite');
    }
  }, [step]);
  const done = turn?.status === 'done';
  const wasDone = useRef(done);
  useEffect(() => {
    if (!done || wasDone.current) {
      return;
    }
    wasDone.current = true;
    if (turn.failure !== null) {
      announce(turn.failure.message, 'assertive');
      return;
    }
    if (turn.stop_reason === 'cancelled') {
      announce(t('Stopped.'), 'polite');
      return;
    }
    const { changes } = turn;
    const files = changes === null ? changesOf(items).length : countOwn(changes);
    const words = [
      t('Done.'),
      files === 0 ? '' : plural(t, files, '1 file changed.', '%1 files changed.'),
      changes === null ? '' : unknownWords(changes, t),
    ];
    announce(words.filter(word => word !== '').join(' '), 'polite');
  }, [done]);
}

function currentStep(items: readonly Item[], t: ReturnType<typeof useScene>['t']): string {
  for (const item of items) {
    if (item.kind === 'plan') {
      const index = item.entries.findIndex(entry => entry.status === 'in_progress');
      const entry = item.entries[index];
      if (entry !== undefined) {
        return t('Step %1 of %2: %3', index + 1, item.entries.length, entry.content);
      }
    }
  }
  return '';
}
