import { useRef } from 'preact/hooks';

import type { Plan, PlanEntry } from '../../wire/types';
import { Disclosure } from '../parts/disclosure';
import type { IconName } from '../parts/drawings';
import { Icon } from '../parts/icons';
import { useScene } from '../parts/scene';
import type { Translate } from '../i18n';
import { Prose } from './prose';

/** More steps than this start as one line. */
const MAX_OPEN_STEPS = 7;
/** Narrower views start with one line. */
const MIN_OPEN_WIDTH = 480;

interface PlanBlockProps {
  readonly item: Plan;
  /** Width of the view when it was first drawn; 0 if not known. */
  readonly width: number;
  readonly running: boolean;
}

/** The plan as a checklist; each update replaces it in place. */
export function PlanBlock({ item, width, running }: PlanBlockProps) {
  const { host, t } = useScene();
  const { entries } = item;
  // Decided once: a plan that grows does not close under the reader.
  const standard = useRef(
    running &&
      host === 'cell' &&
      (width === 0 || width >= MIN_OPEN_WIDTH) &&
      entries.length <= MAX_OPEN_STEPS,
  );
  const done = entries.filter(entry => entry.status === 'completed').length;
  const current = entries.find(entry => entry.status === 'in_progress');
  if (entries.length === 0 && item.text === '') {
    return null;
  }
  return (
    <Disclosure
      id={item.id}
      standard={standard.current}
      class="acp-plan"
      attributes={{ 'data-running': running ? '' : undefined }}
      line={
        <>
          <Icon name="plan" />
          <span class="t">{t('Plan')}</span>
          {entries.length > 0 && (
            <span class="num">
              {done}/{entries.length}
            </span>
          )}
          <span class="d cut grow" dir="auto">
            {current?.content}
          </span>
        </>
      }
      body={() =>
        entries.length > 0 ? (
          <Checklist label={t('Plan')} entries={entries} t={t} />
        ) : (
          <Prose itemId={item.id} open={false} class="acp-thought-text" />
        )
      }
    />
  );
}

interface ChecklistProps {
  readonly label: string;
  readonly entries: readonly PlanEntry[];
  readonly t: Translate;
}

const MARKS: Record<PlanEntry['status'], readonly [IconName, string]> = {
  completed: ['keep', 'Done: '],
  in_progress: ['current', 'Now: '],
  pending: ['pending', 'Next: '],
};

function Checklist({ label, entries, t }: ChecklistProps) {
  return (
    <ul role="list" aria-label={label}>
      {entries.map(({ content, status }, index) => {
        const [icon, state] = MARKS[status];
        return (
          <li key={index} data-status={status}>
            <Icon name={icon} />
            <span dir="auto">
              <span class="vh">{t(state)}</span>
              {content}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
