import { useState } from 'preact/hooks';

import type { ToolCall } from '../../wire/types';
import { ActionButton } from '../parts/buttons';
import { Icon } from '../parts/icons';
import { Visible } from '../parts/odd_characters';
import { useScene } from '../scene';

interface WallLineProps {
  readonly item: ToolCall;
}

/** Below the line of a call: the wall of the sandbox that stopped it, and what the user can do. */
export function WallLine({ item }: WallLineProps) {
  const { actions, store, t } = useScene();
  const [problem, setProblem] = useState('');
  const { wall } = item;
  if (wall === null) {
    return null;
  }
  const run = actions?.runOutside;
  return (
    <div class="acp-wall">
      <Icon name="warning" small />
      <p class="grow" dir="auto">
        <Visible text={wall.words} />
        {wall.run_id !== '' && ` ${t('Its command ran once more, for you.')}`}
      </p>
      {run !== undefined && wall.offers !== '' && (
        <ActionButton
          run={async () => {
            setProblem('');
            await run(store.sessionId, item.tool_call_id);
          }}
          onFailure={setProblem}
        >
          {wall.offers === 'environment'
            ? t('Let it change the environment once')
            : t('Run it outside once')}
        </ActionButton>
      )}
      {problem !== '' && (
        <p class="acp-failure err" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
