import type { ComponentChildren } from 'preact';

import { hasFailed, isUnderWay, isUnseenEdit } from '../../state/items';
import type { ToolCall } from '../../wire/types';
import { between, duration, plural } from '../i18n';
import { Disclosure } from '../parts/disclosure';
import { Counts, Path } from '../parts/files';
import type { IconName } from '../parts/icon_drawings';
import { Icon } from '../parts/icons';
import { TitleText, Visible } from '../parts/odd_characters';
import { byWhom } from '../request/answered_by';
import { PermissionCard } from '../request/permission';
import { useNow, useOpen, useScene } from '../scene';
import { BackgroundCall, useLongRunning } from './background_call';
import { TodoList } from './plan';
import { countWords } from './search_results';
import { ToolBody } from './tool_body';
import { WallLine } from './wall_line';

interface ToolProps {
  readonly item: ToolCall;
  /** Ids of the waiting requests of this session, in order. */
  readonly waiting: readonly string[];
  /** Whether it is the turn's newest todo list. */
  readonly newest: boolean;
  /** The steps of its subagents; `false` for none. */
  readonly nested: Nested | false;
}

interface Nested {
  /** The current step. */
  readonly under: ComponentChildren;
  /** The steps so far, shown if the call is open. */
  readonly body: ComponentChildren;
  /** Open requests of steps, shown at the bottom. */
  readonly after: ComponentChildren;
}

/** A tool call: one line that opens; while it waits for an answer, its permission request. */
export function ToolCard({ item, waiting, newest, nested }: ToolProps) {
  const { actions } = useScene();
  const { permission } = item;
  const name = toolName(item);
  if (permission?.state === 'pending' && actions !== null) {
    return (
      <div
        class="acp-tool"
        role="group"
        aria-label={name}
        data-kind={item.tool_kind}
        data-status={item.status}
        data-item={item.id}
        data-asking
      >
        <PermissionCard
          item={item}
          permission={permission}
          others={waiting.filter(id => id !== permission.request_id)}
        />
        {nested && [nested.under, nested.body, nested.after]}
      </div>
    );
  }
  return item.todos === null ? (
    <ToolLine item={item} name={name} nested={nested} />
  ) : (
    <>
      <TodoList item={item} todos={item.todos} newest={newest} />
      {nested && [nested.under, nested.body, nested.after]}
    </>
  );
}

/** A tool call's accessible name: title and description. */
export function toolName(item: ToolCall): string {
  return item.description === '' ? item.title : `${item.title} ${item.description}`;
}

interface ToolLineProps extends Pick<ToolProps, 'item' | 'nested'> {
  readonly name: string;
}

function ToolLine({ item, name, nested }: ToolLineProps) {
  const { t } = useScene();
  // A command that runs long shows its output.
  const runs = item.ui_kind === 'execute' && item.status === 'in_progress';
  const long = useLongRunning(runs, item.started_at);
  const failed = hasFailed(item);
  const standard = failed || long || isUnseenEdit(item);
  const [open] = useOpen(item.id, standard);
  const { status } = item;
  return (
    <Disclosure
      id={item.id}
      standard={standard}
      class="acp-tool"
      bodyClass="acp-body"
      attributes={{
        role: 'group',
        'aria-label': name,
        'data-kind': item.tool_kind,
        'data-status': status,
        'data-failed': failed ? '' : undefined,
        'data-answered': (item.permission?.outcome ?? '') === '' ? undefined : '',
        'data-item': item.id,
      }}
      line={
        <>
          <Icon name={iconOf(item)} />
          <span class={item.description === '' ? 't' : 't verb'}>
            <TitleText text={item.title} />
          </span>
          {item.subagent_type !== '' && <span class="badge">{item.subagent_type}</span>}
          <span class="d cut grow">
            <Described item={item} />
          </span>
          {!failed && status !== 'failed' && <span class="vh">{t(STATES[status])}</span>}
          <Outcome item={item} open={open} />
        </>
      }
      under={
        <>
          <Progress item={item} />
          <BackgroundCall item={item} />
          <WallLine item={item} />
          {nested && nested.under}
        </>
      }
      body={() => <ToolBody item={item}>{nested && nested.body}</ToolBody>}
      after={nested && nested.after}
    />
  );
}

const STATES: Record<Exclude<ToolCall['status'], 'failed'>, string> = {
  pending: 'pending',
  in_progress: 'running',
  completed: 'done',
  cancelled: 'cancelled',
};

/** The right end of the line: the answer, the result, how long it took. */
function Outcome({ item, open }: { readonly item: ToolCall; readonly open: boolean }) {
  const { actions, t } = useScene();
  const { status, permission, diffs, files } = item;
  const problems = item.diagnostics.filter(each => each.severity !== 'info').length;
  const time = duration(between(item.started_at, item.ended_at));
  return (
    <span class="m num">
      {permission !== null && permission.outcome !== '' && (
        <span class={`acp-outcome ${TONES[permission.state]}`}>
          {permission.state === 'allowed' && <Icon name="keep" small />}
          <span class="cut">{byWhom(permission, t)}</span>
        </span>
      )}
      {hasFailed(item) && <span class="err">{t('failed')}</span>}
      {status === 'cancelled' && (permission?.outcome ?? '') === '' && <span>{t('stopped')}</span>}
      {item.truncated && <span class="badge">{t('truncated')}</span>}
      {files !== null && <span>{countWords(item, files, t)}</span>}
      {problems > 0 && <span class="warn">{plural(t, problems, '1 problem', '%1 problems')}</span>}
      {/* An open diff says it itself. */}
      {(open ? diffs.length > 1 : diffs.length > 0) && (
        <Counts added={total(diffs, 'added')} removed={total(diffs, 'removed')} />
      )}
      {status === 'in_progress'
        ? // A record's background state may be out of date.
          (actions !== null || !item.background) && <Running since={item.started_at} />
        : time !== '' && <span>{time}</span>}
    </span>
  );
}

const TONES = {
  pending: 'warn',
  allowed: 'ok',
  rejected: 'err',
  answered: '',
  cancelled: '',
  expired: '',
} as const;

function Described({ item }: { readonly item: ToolCall }) {
  const { description, path } = item;
  if (description !== '' && description === path) {
    return <Path path={path} />;
  }
  return item.ui_kind === 'search' ? (
    <code dir="ltr">{description}</code>
  ) : (
    <span dir="auto">
      <Visible text={description} strictness="controls" />
    </span>
  );
}

export function iconOf(item: ToolCall): IconName {
  if (item.ui_kind === 'task') {
    return 'agent';
  }
  return item.tool_kind;
}

function total(diffs: ToolCall['diffs'], side: 'added' | 'removed'): number | null {
  let sum = 0;
  for (const diff of diffs) {
    const count = diff[side];
    if (count === null) {
      return null;
    }
    sum += count;
  }
  return sum;
}

/** The progress and message of a running call. */
export function Progress({ item }: { readonly item: ToolCall }) {
  const { progress, message, title } = item;
  if (!isUnderWay(item) || (progress === null && message === '')) {
    return null;
  }
  const percent = progress === null ? null : Math.round(Math.min(1, Math.max(0, progress)) * 100);
  return (
    <div class="acp-progress">
      {percent !== null && (
        <>
          <div
            class="acp-bar-of"
            role="progressbar"
            aria-label={title}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={percent}
          >
            <span style={{ inlineSize: `${percent}%` }} />
          </div>
          <span class="num" aria-hidden="true">
            {percent}%
          </span>
        </>
      )}
      <span class="cut" dir="auto" title={message}>
        <Visible text={message} strictness="controls" />
      </span>
    </div>
  );
}

/** Seconds so far, and the spinner of running work. */
export function Running({ since }: { readonly since: number | null }) {
  const now = useNow(true);
  const seconds = since === null ? 0 : Math.floor(now - since);
  return (
    <span class="m num">
      {seconds > 0 && <span>{duration(seconds)}</span>}
      <span class="spin" aria-hidden="true" />
    </span>
  );
}
