import { useEffect, useState } from 'preact/hooks';

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

/** All that a finished turn did before its answer, as one line that opens. */
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

/** Whether a turn may fold: it was done when it was drawn, or the user is idle. */
export function useSettled(done: boolean): boolean {
  const [settled, setSettled] = useState(done);
  useEffect(() => {
    if (!done || settled) {
      return undefined;
    }
    const settle = () => setSettled(true);
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
  return settled && done;
}
