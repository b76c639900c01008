import type { Item, ToolCall } from '../../wire/types';
import { toolName } from '../items/tool';
import { isUnderWay } from '../items/tool_state';
import { Disclosure } from '../parts/disclosure';
import { plural } from '../parts/format';
import { useScene } from '../parts/scene';
import { Visible } from '../parts/visible';
import { StepLines } from './group';
import { parentOf } from './nesting';
import { isTool } from './rows';
import { logLabel } from './summary';

interface StepsProps {
  /** The call that they were done for. */
  readonly item: ToolCall;
  readonly steps: readonly Item[];
}

/** What a subagent did: one line, open while it works. */
export function Steps({ item, steps }: StepsProps) {
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
      body={() => <StepLines id={`steps ${item.id}`} items={steps} before={before} />}
    />
  );
}

/** What a subagent does right now. */
export function NewestStep({ item, steps }: StepsProps) {
  const { t } = useScene();
  const newest = steps[steps.length - 1];
  // One in the background goes on when its call is done.
  if (newest === undefined || item.message !== '' || !(isUnderWay(item) || goesOn(newest))) {
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

function goesOn(item: Item): boolean {
  return isTool(item) ? isUnderWay(item) : 'open' in item && item.open;
}
