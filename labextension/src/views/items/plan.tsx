import { useRef } from 'preact/hooks';

import type { Plan } from '../../wire/types';
import { Disclosure } from '../parts/disclosure';
import { useScene } from '../parts/scene';
import { Prose } from './prose';
import { Checklist, StepsLine } from './steps';

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
