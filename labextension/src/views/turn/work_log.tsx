import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { Item } from '../../wire/types';
import { Disclosure } from '../parts/disclosure';
import { useScene } from '../scene';
import { logLabel } from './group';
import { Rows } from './items';
import type { Row } from './layout';

interface WorkLogProps {
  readonly turnId: string;
  readonly rows: readonly Row[];
}

/** Everything that a finished turn did before its answer, as one line that opens. */
export function WorkLog({ turnId, rows }: WorkLogProps) {
  const { t } = useScene();
  const items = rows.flatMap(row => (row.kind === 'group' ? row.items : [row.item, ...row.steps]));
  return (
    <Disclosure
      id={`log ${turnId}`}
      standard={false}
      class="acp-group acp-worklog"
      bodyClass="acp-rows"
      chevron="start"
      line={
        <>
          {/* The footer says how long it took. */}
          <span class="t">{logLabel(items, null, t)}</span>
          <span class="grow" />
        </>
      }
      body={() => <Rows id={`log ${turnId}`} rows={opened(rows)} waiting={NONE} />}
    />
  );
}

/** A single group would repeat what the line says: its items are shown instead. */
function opened(rows: readonly Row[]): readonly Row[] {
  return rows.filter(row => row.kind === 'group').length > 1
    ? rows
    : rows.flatMap(row => (row.kind === 'group' ? row.items.map(lineOf) : [row]));
}

function lineOf(item: Item): Row {
  return { kind: 'item', id: item.id, item, steps: [] };
}

const NONE: readonly string[] = [];

/** How long the user must be idle before a finished turn folds. */
const REST_MILLISECONDS = 2_000;

/**
 * Whether a turn is folded: it was done when it was drawn, or the part that folds is out of view
 * and the user is idle. Visible content stays in place.
 */
export function useSettled(done: boolean, body: RefObject<HTMLElement | null>): boolean {
  const [settled, setSettled] = useState(done);
  /** Position at which the turn's end has to stay. */
  const end = useRef<number | null>(null);
  useEffect(() => {
    if (!done || settled) {
      return undefined;
    }
    const settle = () => {
      const element = body.current;
      const where = element === null ? 'nowhere' : whereIsLog(element);
      if (where !== 'in view') {
        end.current = element !== null && where === 'above' ? bottomOf(element) : null;
        setSettled(true);
      }
    };
    let timer = setTimeout(settle, REST_MILLISECONDS);
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(settle, REST_MILLISECONDS);
    };
    const signs = ['pointermove', 'pointerdown', 'keydown', 'wheel'] as const;
    signs.forEach(sign => document.addEventListener(sign, wait, { passive: true, capture: true }));
    return () => {
      clearTimeout(timer);
      signs.forEach(sign => document.removeEventListener(sign, wait, { capture: true }));
    };
  }, [done, settled]);
  useLayoutEffect(() => {
    const element = body.current;
    const scroller = element === null ? null : scrollerOf(element);
    if (element !== null && scroller !== null && end.current !== null) {
      scroller.scrollTop += bottomOf(element) - end.current;
    }
    end.current = null;
  }, [settled]);
  return settled && done;
}

/**
 * Position of the part before the answer in the scrolling box; `nowhere` if the page shows none of
 * it.
 */
function whereIsLog(body: HTMLElement): 'above' | 'in view' | 'nowhere' {
  const { top, height } = body.getBoundingClientRect();
  const box = scrollerOf(body)?.getBoundingClientRect();
  const texts = body.querySelectorAll(':scope > .acp-items > .acp-prose');
  const answer = texts[texts.length - 1]?.getBoundingClientRect().top ?? bottomOf(body);
  if (height === 0 || top >= Math.min(window.innerHeight, box?.bottom ?? Infinity)) {
    return 'nowhere';
  }
  return answer <= Math.max(0, box?.top ?? 0) ? 'above' : 'in view';
}

function bottomOf(element: HTMLElement): number {
  return element.getBoundingClientRect().bottom;
}

/** The box that scrolls a turn: the panel's log, or the notebook. */
function scrollerOf(element: HTMLElement): Element | null {
  return element.closest('.acp-log, .jp-WindowedPanel-outer');
}
