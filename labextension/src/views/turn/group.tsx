import { Fragment } from 'preact';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import { hasFailed, isTool, isUnderWay } from '../../state/items';
import type { Item, ToolCall } from '../../wire/types';
import { changesOf } from '../changes/reported';
import { between, duration, plural } from '../i18n';
import type { Translate } from '../i18n';
import { Disclosure } from '../parts/disclosure';
import { Visible } from '../parts/odd_characters';
import { useScene, useValue } from '../scene';
import { toolName } from '../tool/tool_card';
import { parentOf } from './layout';

/** Delay after a following text before a group folds itself, once. */
const FOLD_MILLISECONDS = 600;

/** Most lines of an open group; the rest is shown on a click. */
const MAX_LINES = 100;

/** Draws one item; passed in, since an item may contain a group itself. */
type DrawItem = (item: Item) => ComponentChildren;

interface GroupProps {
  readonly id: string;
  readonly items: readonly Item[];
  readonly drawItem: DrawItem;
  /** Whether a text follows it. */
  readonly followed: boolean;
}

/** A run of finished tool calls: one line. */
export function Group({ id, items, drawItem, followed }: GroupProps) {
  const { t } = useScene();
  const folded = useFolded(followed);
  return (
    <Disclosure
      id={id}
      standard={!folded}
      class="acp-group"
      bodyClass="acp-rows"
      chevron="start"
      line={
        <>
          <span class="t">{groupLabel(items, t)}</span>
          <span class="grow" />
          <span class="m num">{duration(groupSeconds(items))}</span>
        </>
      }
      body={() => <StepLines id={id} items={items} drawItem={drawItem} />}
    />
  );
}

interface StepLinesProps {
  readonly id: string;
  readonly items: readonly Item[];
  readonly drawItem: DrawItem;
  /** Drawn above an item. */
  readonly before?: (item: Item, former: Item | undefined) => ComponentChildren;
}

/** The newest items, and the rest on a click. */
function StepLines({ id, items, drawItem, before }: StepLinesProps) {
  const { actions, t } = useScene();
  const [all, setAll] = useValue(`${id} all`);
  const hidden = all === '' && actions !== null ? Math.max(0, items.length - MAX_LINES) : 0;
  return (
    <>
      {hidden > 0 && (
        <button type="button" class="btn quiet small" onClick={() => setAll('1')}>
          {plural(t, hidden, 'Show 1 earlier step', 'Show %1 earlier steps')}
        </button>
      )}
      {items.slice(hidden).map((item, index) => (
        <Fragment key={item.id}>
          {before?.(item, items[hidden + index - 1])}
          {drawItem(item)}
        </Fragment>
      ))}
    </>
  );
}

/** Becomes true shortly after a text follows; at once if one followed already. */
function useFolded(followed: boolean): boolean {
  const [folded, setFolded] = useState(followed);
  const wasFolded = useRef(followed);
  useEffect(() => {
    if (!followed || wasFolded.current) {
      return undefined;
    }
    const timer = setTimeout(() => {
      wasFolded.current = true;
      setFolded(true);
    }, FOLD_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [followed]);
  return folded;
}

interface StepsProps {
  /** The call whose subagents did the steps. */
  readonly item: ToolCall;
  readonly steps: readonly Item[];
}

interface SubagentStepsProps extends StepsProps {
  readonly drawItem: DrawItem;
}

/** The steps of subagents: one line that opens, open while they work. */
export function Steps({ item, steps, drawItem }: SubagentStepsProps) {
  const { t } = useScene();
  const calls = new Map([item, ...steps].filter(isTool).map(call => [call.id, call]));
  const before = (step: Item, former: Item | undefined) => {
    const maker = calls.get(parentOf(step));
    const same = former === undefined ? maker === item : parentOf(former) === parentOf(step);
    return maker === undefined || same ? null : (
      <p class="acp-maker cut muted" dir="auto">
        {toolName(maker)}
      </p>
    );
  };
  return (
    <Disclosure
      id={`steps ${item.id}`}
      standard={isUnderWay(item)}
      class="acp-group acp-steps"
      bodyClass="acp-rows"
      chevron="start"
      line={
        <>
          <span class="t">
            {steps.some(isTool)
              ? logLabel(steps, null, t)
              : plural(t, steps.length, '1 text', '%1 texts')}
          </span>
          <span class="grow" />
        </>
      }
      body={() => (
        <StepLines id={`steps ${item.id}`} items={steps} drawItem={drawItem} before={before} />
      )}
    />
  );
}

/** The current step of a subagent. */
export function NewestStep({ item, steps }: StepsProps) {
  const { t } = useScene();
  const newest = steps[steps.length - 1];
  // A background subagent continues after its call is done.
  if (newest === undefined || item.message !== '' || !(isUnderWay(item) || isOngoing(newest))) {
    return null;
  }
  const words = isTool(newest)
    ? toolName(newest)
    : newest.kind === 'thought'
      ? t('Thinking')
      : t('Writing');
  return (
    <div class="acp-progress">
      <span class="cut" dir="auto">
        <Visible text={words} strictness="controls" />
      </span>
    </div>
  );
}

function isOngoing(item: Item): boolean {
  return isTool(item) ? isUnderWay(item) : 'open' in item && item.open;
}

/** `Read 2 files, 1 search`, or `7 steps · 1 file changed`, and how many failed. */
export function groupLabel(items: readonly Item[], t: Translate): string {
  const tools = items.filter(isTool);
  const reads = tools.filter(tool => tool.ui_kind === 'read').length;
  const searches = tools.filter(tool => tool.ui_kind === 'search').length;
  const failed = tools.filter(hasFailed).length;
  const parts: string[] = [];
  if (reads + searches === tools.length) {
    const words = [
      reads > 0 ? plural(t, reads, 'Read 1 file', 'Read %1 files') : '',
      searches > 0 ? plural(t, searches, '1 search', '%1 searches') : '',
    ];
    parts.push(words.filter(word => word !== '').join(', '));
  } else {
    parts.push(plural(t, tools.length, '1 step', '%1 steps'), changedWords(items, t));
  }
  parts.push(failed > 0 ? t('%1 failed', failed) : '');
  return parts.filter(part => part !== '').join(' · ');
}

/** `12 steps · 3 files changed · 1m 04s`. */
export function logLabel(items: readonly Item[], seconds: number | null, t: Translate): string {
  const tools = items.filter(isTool);
  const failed = tools.filter(hasFailed).length;
  return [
    plural(t, tools.length, '1 step', '%1 steps'),
    changedWords(items, t),
    failed > 0 ? t('%1 failed', failed) : '',
    duration(seconds),
  ]
    .filter(part => part !== '')
    .join(' · ');
}

function changedWords(items: readonly Item[], t: Translate): string {
  const files = changesOf(items).length;
  return files === 0 ? '' : plural(t, files, '1 file changed', '%1 files changed');
}

/** From the first start to the last end. */
export function groupSeconds(items: readonly Item[]): number | null {
  const tools = items.filter(isTool);
  const starts = tools.flatMap(tool => (tool.started_at === null ? [] : [tool.started_at]));
  const ends = tools.flatMap(tool => (tool.ended_at === null ? [] : [tool.ended_at]));
  return starts.length === 0 || ends.length === 0
    ? null
    : between(Math.min(...starts), Math.max(...ends));
}
