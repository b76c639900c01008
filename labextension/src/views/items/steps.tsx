import type { PlanEntry } from '../../wire/types';
import type { IconName } from '../parts/drawings';
import { Icon } from '../parts/icons';
import { useScene } from '../parts/scene';
import { Visible } from '../parts/visible';

/** A step of a plan or a todo list, in the words for its state. */
export interface Step {
  readonly words: string;
  readonly status: PlanEntry['status'];
}

interface StepsProps {
  readonly title: string;
  readonly steps: readonly Step[];
}

/** The line of a list of steps: how far it is, and what is done now. */
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
