import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { TrafficLine } from '../../../wire/types';
import { bytes, grouped, plural } from '../../../views/i18n';
import type { Translate } from '../../../views/i18n';
import { Icon } from '../../../views/parts/icons';
import { useScene } from '../../../views/scene';
import type { TrafficLog, TrafficRow } from './traffic_log';

/** Height of a line in pixels, as in the style sheet. */
const ROW = 24;

/** Lines mounted above and below the visible ones. */
const MARGIN = 15;

/** Lines mounted while the height is not known. */
const FEW = 40;

const NEAR_END = 4;

interface TrafficListProps {
  readonly log: TrafficLog;
  /** Key of the selected row; empty for none. */
  readonly chosen: string;
  readonly onChoose: (row: TrafficRow | null) => void;
  /** Text shown if there are no lines. */
  readonly empty: string;
}

/** A tree of any number of lines; only the visible ones are mounted. */
export function TrafficList({ log, chosen, onChoose, empty }: TrafficListProps) {
  const { t } = useScene();
  const { rows } = log;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const height = box.current?.clientHeight ?? 0;
  const pinned = useRef(true);
  useAnchor(rows, box, pinned);

  const first = Math.max(0, Math.floor(top / ROW) - MARGIN);
  const last = height === 0 ? first + FEW : Math.ceil((top + height) / ROW) + MARGIN;
  const shown = rows.slice(first, last);
  const at = rows.findIndex(row => row.key === chosen);

  const onScroll = () => {
    const element = box.current;
    if (element === null) {
      return;
    }
    setTop(element.scrollTop);
    const left = element.scrollHeight - element.scrollTop - element.clientHeight;
    pinned.current = left <= NEAR_END;
    if (element.scrollTop < ROW * MARGIN) {
      void log.older();
    }
    if (pinned.current && !log.atEnd) {
      void log.newer();
    }
  };
  const choose = (index: number) => {
    const to = Math.max(0, Math.min(rows.length - 1, index));
    const row = rows[to];
    const element = box.current;
    if (row === undefined || element === null) {
      return;
    }
    onChoose(row);
    const rowTop = to * ROW;
    if (rowTop < element.scrollTop) {
      element.scrollTop = rowTop;
    } else if (rowTop + ROW > element.scrollTop + element.clientHeight) {
      element.scrollTop = rowTop + ROW - element.clientHeight;
    }
  };
  const toggle = ({ line, open, rest }: TrafficRow) => {
    if (open === true) {
      log.close(line);
    } else if (open === false || rest > 0) {
      pinned.current = false;
      void log.open(line);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(height / ROW) - 1);
    const from = at < 0 ? rows.length : at;
    const now = rows[at];
    const parent = rows.findIndex(row => row.key === now?.parent);
    const next = {
      ArrowUp: from - 1,
      ArrowDown: from + 1,
      PageUp: from - page,
      PageDown: from + page,
      Home: 0,
      End: rows.length - 1,
      ...(now !== undefined && now.parent !== '' ? { ArrowLeft: parent } : {}),
      ...(now?.open === true ? { ArrowRight: at + 1 } : {}),
    }[event.key];
    const opens =
      now !== undefined &&
      (event.key === 'Enter' ||
        (event.key === 'ArrowRight' && now.open === false) ||
        (event.key === 'ArrowLeft' && now.open === true));
    if (event.key === 'Escape' && chosen !== '') {
      onChoose(null);
    } else if (opens) {
      toggle(now);
    } else if (next === undefined) {
      return;
    } else {
      choose(next);
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      class="acp-traffic-lines"
      role="tree"
      aria-label={t('Lines')}
      aria-busy={log.loading}
      aria-activedescendant={at >= first && at < last ? idOf(rows[at]) : undefined}
      tabIndex={0}
      ref={box}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      {log.start > 0 && !log.loading && rows.length < FEW && (
        <button type="button" class="btn quiet small" onClick={() => void log.older()}>
          {t('Look further back')}
        </button>
      )}
      {rows.length === 0 && log.failure === '' && (
        <p class="muted acp-empty">{log.loaded ? empty : t('Loading the traffic')}</p>
      )}
      <div role="presentation" style={{ height: `${rows.length * ROW}px` }}>
        <div role="presentation" style={{ transform: `translateY(${first * ROW}px)` }}>
          {shown.map((row, index) => (
            <Row
              key={row.key}
              row={row}
              on={row.key === chosen}
              position={first + index + 1}
              total={rows.length}
              onClick={() => {
                onChoose(row);
                // Only a second click, so that selecting a line does not move the others.
                if (row.key === chosen || row.rest > 0) {
                  toggle(row);
                }
              }}
              onToggle={() => toggle(row)}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

/** Stays at the end if the user is there, and otherwise keeps the visible lines in place. */
function useAnchor(
  rows: readonly TrafficRow[],
  box: { readonly current: HTMLDivElement | null },
  pinned: { readonly current: boolean },
): void {
  const former = useRef<readonly TrafficRow[]>([]);
  useLayoutEffect(() => {
    const element = box.current;
    const before = former.current;
    former.current = rows;
    if (element === null || before === rows) {
      return;
    }
    if (pinned.current) {
      element.scrollTop = element.scrollHeight;
      return;
    }
    const seen = before[Math.floor(element.scrollTop / ROW)];
    const now = seen === undefined ? -1 : rows.findIndex(row => row.key === seen.key);
    if (now >= 0) {
      element.scrollTop = now * ROW + (element.scrollTop % ROW);
    }
  });
}

interface RowProps {
  readonly row: TrafficRow;
  readonly on: boolean;
  readonly position: number;
  readonly total: number;
  readonly onClick: () => void;
  readonly onToggle: () => void;
}

function Row({ row, on, position, total, onClick, onToggle }: RowProps) {
  const { t } = useScene();
  const { line, parent, open, rest } = row;
  return (
    <div
      class="line"
      role="treeitem"
      id={idOf(row)}
      aria-level={parent === '' ? 1 : 2}
      aria-expanded={open ?? undefined}
      aria-selected={on}
      aria-posinset={position}
      aria-setsize={total}
      data-direction={line.direction}
      data-kind={line.kind}
      onClick={onClick}
    >
      {rest > 0 ? (
        <span class="more muted">{plural(t, rest, 'Show 1 more', 'Show %1 more')}</span>
      ) : (
        <>
          <span
            class="twist"
            aria-hidden="true"
            onClick={event => {
              event.stopPropagation();
              onToggle();
            }}
          >
            {open !== null && <Icon name="chevron" small class="chev" />}
          </span>
          <span class="num muted">{timeOf(line.at)}</span>
          <span class="way" aria-hidden="true">
            {MARKS[line.direction]}
          </span>
          <span class="vh">{t(WAYS[line.direction])}</span>
          <span class="m cut">{nameOf(line, t)}</span>
          <span class="p cut grow muted" dir="auto">
            {line.preview}
          </span>
          <span class="num muted">{bytes(line.size)}</span>
        </>
      )}
    </div>
  );
}

/** `session/update agent_message_chunk`, `answer to session/prompt`. */
export function nameOf({ method, update, kind, count }: TrafficLine, t: Translate): string {
  if (kind === 'response' || kind === 'error') {
    const words = kind === 'error' ? t('error') : t('answer');
    return method === '' ? words : `${words} · ${method}`;
  }
  const name = method === '' ? t('line') : method;
  const whole = update === '' ? name : update;
  return count > 1 ? `${whole} ×${grouped(count)}` : whole;
}

export const WAYS: Record<TrafficLine['direction'], string> = {
  '>': 'To the agent',
  '<': 'From the agent',
  '!': 'Note',
};

const MARKS: Record<TrafficLine['direction'], string> = { '>': '→', '<': '←', '!': '·' };

function idOf(row: TrafficRow | undefined): string | undefined {
  return row === undefined ? undefined : `acp-line-${row.key}`;
}

/** `12:03:04.250`, in the user's time. */
export function timeOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()];
  const clock = parts.map(part => String(part).padStart(2, '0')).join(':');
  return `${clock}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}
