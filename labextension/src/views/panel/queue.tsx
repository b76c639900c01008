import type { SessionState } from '../../wire/types';
import type { Actions } from '../actions';
import type { Translate } from '../i18n';
import { IconButton, messageOf } from '../parts/buttons';
import { Icon } from '../parts/icons';

interface QueueProps {
  readonly session: SessionState;
  readonly actions: Actions;
  readonly t: Translate;
  /** Puts the text of a message back into the message box. */
  readonly onEdit: (text: string) => void;
  readonly onFailure: (message: string) => void;
}

/** Messages that wait for the running turn. */
export function Queue({ session, actions, t, onEdit, onFailure }: QueueProps) {
  if (session.queue.length === 0) {
    return null;
  }
  const remove = async (turnId: string) => {
    try {
      await actions.removeQueued?.(session.session_id, turnId);
      return true;
    } catch (error) {
      onFailure(messageOf(error));
      return false;
    }
  };
  const edit = async (turnId: string, text: string) => {
    if (await remove(turnId)) {
      onEdit(text);
    }
  };
  return (
    <ul class="acp-queue" role="list" aria-label={t('Queue')}>
      {session.queue.map(({ turn_id: turnId, text }) => (
        <li key={turnId}>
          <Icon name="queue" />
          <span class="cut grow" dir="auto">
            {text}
          </span>
          {actions.removeQueued !== undefined && (
            <>
              <IconButton
                icon="edit"
                label={t('Edit queued message')}
                onClick={() => void edit(turnId, text)}
              />
              <IconButton
                icon="close"
                label={t('Remove queued message')}
                onClick={() => void remove(turnId)}
              />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
