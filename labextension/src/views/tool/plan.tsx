import { useRef } from 'preact/hooks';

import type { Plan, PlanEntry, TodoItem, ToolCall } from '../../wire/types';
import { Prose } from '../markdown/prose';
import { Disclosure } from '../parts/disclosure';
import type { IconName } from '../parts/icon_drawings';
import { Icon } from '../parts/icons';
import { Visible } from '../parts/odd_characters';
import { useScene } from '../scene';
import { Output } from '../terminal/terminal';

/** More steps than this start as one line. */
const MAX_OPEN_STEPS = 7;

/** In narrower views a plan starts as one line. */
const MIN_OPEN_WIDTH = 480;

interface PlanBlockProps {
  readonly item: Plan;
  /** Width of the view in pixels when it was first drawn; 0 if not known. */
  readonly width: number;
  readonly running: boolean;
}

/** A plan as a checklist, or as text. */
export function PlanBlock({ item, width, running }: PlanBlockProps) {
  const { host, t } = useScene();
  const { entries } = item;
  // Decided once, so that a growing plan does not close while it is read.
  const standard = useRef(
    running &&
      host === 'cell' &&
      (width === 0 || width >= MIN_OPEN_WIDTH) &&
      entries.length <= MAX_OPEN_STEPS,
  );
  const steps = entries.map(({ content, status }) => ({ words: content, status }));
  if (entries.length === 0 && item.text === '') {
    return null;
  }
  return (
    <Disclosure
      id={item.id}
      standard={standard.current}
      class="acp-plan"
      attributes={{ 'data-running': running ? '' : undefined }}
      line={<StepsLine title={t('Plan')} steps={steps} />}
      body={() =>
        entries.length > 0 ? (
          <Checklist title={t('Plan')} steps={steps} />
        ) : (
          <Prose itemId={item.id} open={false} class="acp-thought-text" />
        )
      }
    />
  );
}

/** More todos than this start as one line. */
const MAX_OPEN_TODOS = 12;

interface TodoListProps {
  readonly item: ToolCall;
  readonly todos: readonly TodoItem[];
  /** Whether it is the turn's newest list; older ones start as one line. */
  readonly newest: boolean;
}

/** A todo list, shown instead of its tool card. */
export function TodoList({ item, todos, newest }: TodoListProps) {
  const { t } = useScene();
  const steps = todos.map(stepOf);
  const failed = item.status === 'failed';
  return (
    <Disclosure
      id={item.id}
      standard={newest && todos.length <= MAX_OPEN_TODOS}
      class="acp-plan acp-todos"
      attributes={{
        role: 'group',
        'aria-label': item.title,
        'data-status': item.status,
        'data-item': item.id,
      }}
      line={
        <>
          <StepsLine title={item.title} steps={steps} />
          {failed && <span class="m err">{t('failed')}</span>}
        </>
      }
      body={() => (
        <>
          <Checklist title={t('Todos')} steps={steps} />
          {failed && item.output !== '' && (
            <div class="acp-code">
              <Output item={item} />
            </div>
          )}
        </>
      )}
    />
  );
}

function stepOf({ content, active_form: active, status }: TodoItem): Step {
  return { words: status === 'in_progress' && active !== '' ? active : content, status };
}

/** A step of a plan or a todo list; `words` depend on its status. */
export interface Step {
  readonly words: string;
  readonly status: PlanEntry['status'];
}

interface StepsProps {
  readonly title: string;
  readonly steps: readonly Step[];
}

/** The line of a list of steps: the progress, and the current step. */
export function StepsLine({ title, steps }: StepsProps) {
  const done = steps.filter(step => step.status === 'completed').length;
  const current = steps.find(step => step.status === 'in_progress');
  return (
    <>
      <Icon name="plan" />
      <span class="t">{title}</span>
      {steps.length > 0 && (
        <span class="num">
          {done}/{steps.length}
        </span>
      )}
      <span class="d cut grow" dir="auto">
        <Visible text={current?.words ?? ''} strictness="controls" />
      </span>
    </>
  );
}

const MARKS: Record<Step['status'], readonly [IconName, string]> = {
  completed: ['keep', 'Done: '],
  in_progress: ['current', 'Now: '],
  pending: ['pending', 'Next: '],
};

/** The steps, ticked off. */
export function Checklist({ title, steps }: StepsProps) {
  const { t } = useScene();
  return (
    <ul role="list" aria-label={title}>
      {steps.map(({ words, status }, index) => {
        const [icon, state] = MARKS[status];
        return (
          <li key={index} data-status={status}>
            <Icon name={icon} />
            <span dir="auto">
              <span class="vh">{t(state)}</span>
              <Visible text={words} strictness="controls" />
            </span>
          </li>
        );
      })}
    </ul>
  );
}
