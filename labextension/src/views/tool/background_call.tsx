import { useEffect, useState } from 'preact/hooks';

import { isUnderWay } from '../../state/items';
import type { ToolCall } from '../../wire/types';
import { ActionButton } from '../parts/buttons';
import { useScene } from '../scene';

/** A call that runs longer than this shows more. */
const LONG_SECONDS = 2;

/** Whether something has been running for a while. */
export function useLongRunning(running: boolean, since: number | null): boolean {
  const [long, setLong] = useState(false);
  useEffect(() => {
    if (!running || since === null) {
      setLong(false);
      return undefined;
    }
    const left = (since + LONG_SECONDS) * 1000 - Date.now();
    const timer = setTimeout(() => setLong(true), Math.max(0, left));
    return () => clearTimeout(timer);
  }, [running, since]);
  return running && long;
}

interface BackgroundCallProps {
  readonly item: ToolCall;
}

/** Below the line of a call: that it goes on in the background, and Stop if it can be stopped. */
export function BackgroundCall({ item }: BackgroundCallProps) {
  const { actions, t } = useScene();
  const canStop = isStoppable(item) && actions?.cancelToolCall !== undefined;
  const long = useLongRunning(canStop, item.started_at);
  if (!item.background && !item.cancelling && !long) {
    return null;
  }
  return (
    <div class="acp-progress acp-goeson">
      {canStop ? <Stop item={item} /> : <span>{words(item, t)}</span>}
    </div>
  );
}

/** Whether the agent ends the call, or its command, when asked. */
function isStoppable(item: ToolCall): boolean {
  const { terminal } = item;
  return (
    (isUnderWay(item) && item.can_cancel) ||
    (terminal !== null && terminal.running && terminal.can_cancel)
  );
}

function words(item: ToolCall, t: ReturnType<typeof useScene>['t']): string {
  if (item.cancelling) {
    return t('Stopping');
  }
  return item.background ? t('Running in the background') : '';
}

/** Asks the agent to end only the call; a running turn goes on. */
function Stop({ item }: BackgroundCallProps) {
  const { actions, store, t } = useScene();
  const [problem, setProblem] = useState('');
  return (
    <>
      <span role="status" class={problem === '' ? undefined : 'err'}>
        {problem === '' ? words(item, t) : problem}
      </span>
      <ActionButton
        label={isUnderWay(item) ? t('Stop this call') : t('Stop this command')}
        run={async () => {
          setProblem('');
          await actions?.cancelToolCall?.(store.sessionId, item.tool_call_id);
        }}
        onFailure={setProblem}
      >
        {t('Stop')}
      </ActionButton>
    </>
  );
}
