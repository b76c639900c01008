import { useCallback } from 'preact/hooks';

import type { Follow } from '../../views/actions';
import { Icon } from '../../views/parts/icons';
import { useScene, useSubscription } from '../../views/scene';

interface FollowButtonProps {
  readonly follow: Follow;
  readonly sessionId: string;
}

/** Turns following the agent on and off; says when it is paused. */
export function FollowButton({ follow, sessionId }: FollowButtonProps) {
  const { t } = useScene();
  useSubscription(useCallback(listener => follow.onChange(listener), [follow]));
  const state = follow.of(sessionId);
  const isPaused = state === 'paused';
  const what = t('The page goes to the cell or file at which the agent works');
  return (
    <button
      type="button"
      class={`btn quiet small acp-follow${state === 'on' ? ' on' : ''}`}
      aria-pressed={state === 'on'}
      title={isPaused ? t('Following is paused, because you went on. Resume it') : what}
      onClick={() => follow.set(sessionId, state !== 'on')}
    >
      <Icon name={isPaused ? 'pause' : 'current'} small />
      {isPaused ? t('Paused: resume') : t('Follow')}
    </button>
  );
}
