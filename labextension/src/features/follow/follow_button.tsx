import { useCallback } from 'preact/hooks';

import type { Addition } from '../../views/additions';
import { Icon } from '../../views/parts/icons';
import { useScene, useSubscription } from '../../views/scene';

import type { Follows } from './follows';

/** The button in the head of the panel. */
export function followButton(follows: Follows): NonNullable<Addition['panelHead']> {
  return ({ session }) => <FollowButton follows={follows} sessionId={session.session_id} />;
}

interface FollowButtonProps {
  readonly follows: Follows;
  readonly sessionId: string;
}

/** Turns following the agent on and off; says when it is paused. */
function FollowButton({ follows, sessionId }: FollowButtonProps) {
  const { t } = useScene();
  useSubscription(useCallback(listener => follows.changed.add(listener), [follows]));
  const state = follows.of(sessionId);
  const isPaused = state === 'paused';
  const what = t('The page goes to the cell or file at which the agent works');
  return (
    <button
      type="button"
      class={`btn quiet small acp-follow${state === 'on' ? ' on' : ''}`}
      aria-pressed={state === 'on'}
      title={isPaused ? t('Following is paused while you look elsewhere. Click to resume') : what}
      onClick={() => follows.set(sessionId, state === 'on' ? 'off' : 'on')}
    >
      <Icon name={isPaused ? 'pause' : 'current'} small />
      {isPaused ? t('Paused: resume') : t('Follow')}
    </button>
  );
}
