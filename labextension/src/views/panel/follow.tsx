import { useCallback } from 'preact/hooks';

import type { Follow } from '../actions';
import { Icon } from '../parts/icons';
import { useScene, useSubscription } from '../scene';

interface FollowButtonProps {
  readonly follow: Follow;
  readonly sessionId: string;
}

/** Turns on that the page goes where the agent works; says when that is paused. */
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
