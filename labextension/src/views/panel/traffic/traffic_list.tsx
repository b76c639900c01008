import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { TrafficLine } from '../../../wire/types';
import { bytes } from '../../i18n';
import type { Translate } from '../../i18n';
import { useScene } from '../../scene';
import type { TrafficLog } from './traffic_log';

/** Height of a line in pixels, as in the style sheet. */
const ROW = 24;

/** Lines mounted above and below the visible ones. */
const MARGIN = 15;

/** Lines mounted while the height is not known. */
const FEW = 40;

const NEAR_END = 4;

interface TrafficListProps {
  readonly log: TrafficLog;
  readonly chosen: number | null;
  readonly onChoose: (line: TrafficLine | null) => void;
  /** Text shown if there are no lines. */
  readonly empty: string;
}

/** A list of any number of lines, of which only the visible ones are mounted. */
export function TrafficList({ log, chosen, onChoose, empty }: TrafficListProps) {
  const { t } = useScene();
  const { lines } = log;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const height = box.current?.clientHeight ?? 0;
  const pinned = useRef(true);
  useAnchor(lines, box, pinned);

  const first = Math.max(0, Math.floor(top / ROW) - MARGIN);
  const last = height === 0 ? first + FEW : Math.ceil((top + height) / ROW) + MARGIN;
  const shown = lines.slice(first, last);
  const at = lines.findIndex(line => line.place === chosen);

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
    const line = lines[Math.max(0, Math.min(lines.length - 1, index))];
    const element = box.current;
    if (line === undefined || element === null) {
      return;
    }
    onChoose(line);
    const rowTop = lines.indexOf(line) * ROW;
    if (rowTop < element.scrollTop) {
      element.scrollTop = rowTop;
    } else if (rowTop + ROW > element.scrollTop + element.clientHeight) {
      element.scrollTop = rowTop + ROW - element.clientHeight;
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(height / ROW) - 1);
    const from = at < 0 ? lines.length : at;
    const next = {
      ArrowUp: from - 1,
      ArrowDown: from + 1,
      PageUp: from - page,
      PageDown: from + page,
      Home: 0,
      End: lines.length - 1,
    }[event.key];
    if (event.key === 'Escape' && chosen !== null) {
      onChoose(null);
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
      role="listbox"
      aria-label={t('Lines')}
      aria-busy={log.loading}
      aria-activedescendant={at >= first && at < last ? idOf(lines[at]) : undefined}
      tabIndex={0}
      ref={box}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      {log.start > 0 && !log.loading && lines.length < FEW && (
        <button type="button" class="btn quiet small" onClick={() => void log.older()}>
          {t('Look further back')}
        </button>
      )}
      {lines.length === 0 && !log.loading && <p class="muted acp-empty">{empty}</p>}
      <div role="presentation" style={{ height: `${lines.length * ROW}px` }}>
        <div role="presentation" style={{ transform: `translateY(${first * ROW}px)` }}>
          {shown.map((line, index) => (
            <Row
              key={line.place}
              line={line}
              on={line.place === chosen}
              position={first + index + 1}
              total={lines.length}
              onClick={() => onChoose(line)}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

/** Stays at the end if the user is there, and keeps what is read in place. */
function useAnchor(
  lines: readonly TrafficLine[],
  box: { readonly current: HTMLDivElement | null },
  pinned: { readonly current: boolean },
): void {
  const former = useRef<readonly TrafficLine[]>([]);
  useLayoutEffect(() => {
    const element = box.current;
    const before = former.current;
    former.current = lines;
    if (element === null || before === lines) {
      return;
    }
    if (pinned.current) {
      element.scrollTop = element.scrollHeight;
      return;
    }
    const seen = before[Math.floor(element.scrollTop / ROW)];
    const now = seen === undefined ? -1 : lines.findIndex(line => line.place === seen.place);
    if (now >= 0) {
      element.scrollTop = now * ROW + (element.scrollTop % ROW);
    }
  });
}

interface RowProps {
  readonly line: TrafficLine;
  readonly on: boolean;
  readonly position: number;
  readonly total: number;
  readonly onClick: () => void;
}

function Row({ line, on, position, total, onClick }: RowProps) {
  const { t } = useScene();
  return (
    <div
      class="line"
      role="option"
      id={idOf(line)}
      aria-selected={on}
      aria-posinset={position}
      aria-setsize={total}
      data-direction={line.direction}
      data-kind={line.kind}
      onClick={onClick}
    >
      <span class="num muted">{timeOf(line.at)}</span>
      <span class="way" aria-hidden="true">
        {MARKS[line.direction]}
      </span>
      <span class="vh">{t(WAYS[line.direction])}</span>
      <span class="m cut">{nameOf(line, t)}</span>
      <span class="p cut grow muted" dir="ltr">
        {line.preview}
      </span>
      <span class="num muted">{bytes(line.size)}</span>
    </div>
  );
}

/** `session/update agent_message_chunk`, `answer to session/prompt`. */
export function nameOf({ method, update, kind }: TrafficLine, t: Translate): string {
  if (kind === 'response' || kind === 'error') {
    const words = kind === 'error' ? t('error') : t('answer');
    return method === '' ? words : `${words} · ${method}`;
  }
  const name = method === '' ? t('line') : method;
  return update === '' ? name : update;
}

export const WAYS: Record<TrafficLine['direction'], string> = {
  '>': 'To the agent',
  '<': 'From the agent',
  '!': 'Note',
};

const MARKS: Record<TrafficLine['direction'], string> = { '>': '→', '<': '←', '!': '·' };

function idOf(line: TrafficLine | undefined): string | undefined {
  return line === undefined ? undefined : `acp-line-${line.place}`;
}

/** `12:03:04.250`, in the user's time. */
export function timeOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()];
  const clock = parts.map(part => String(part).padStart(2, '0')).join(':');
  return `${clock}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}
