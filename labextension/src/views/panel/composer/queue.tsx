import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { QueuedPrompt, SessionState } from '../../../wire/types';
import type { Actions } from '../../actions';
import type { Translate } from '../../i18n';
import { IconButton, messageOf } from '../../parts/buttons';
import { Icon } from '../../parts/icons';
import { Visible } from '../../parts/odd_characters';

interface QueueProps {
  readonly session: SessionState;
  readonly actions: Actions;
  readonly t: Translate;
  readonly onFailure: (message: string) => void;
}

/** The queued messages, which wait for the running turn. */
export function Queue({ session, actions, t, onFailure }: QueueProps) {
  const [editing, setEditing] = useState('');
  const list = useRef<HTMLUListElement>(null);
  const edited = useRef('');
  useLayoutEffect(() => {
    // The edit button, not Send, which a held Enter key would press.
    if (editing === '' && edited.current !== '' && document.activeElement === document.body) {
      list.current?.querySelector<HTMLElement>(`[data-edit="${edited.current}"] button`)?.focus();
    }
    edited.current = editing;
  }, [editing]);
  if (session.queue.length === 0) {
    return null;
  }
  const steers = actions.steer !== undefined && session.can.includes('steering');
  const run = (work: Promise<void> | undefined) => {
    work?.catch((error: unknown) => onFailure(messageOf(error)));
  };
  return (
    <ul class="acp-queue" role="list" aria-label={t('Queue')} ref={list}>
      {session.queue.map(waiting =>
        waiting.turn_id === editing ? (
          <Edited
            key={waiting.turn_id}
            waiting={waiting}
            t={t}
            onDone={text => {
              setEditing('');
              if (text !== null && text !== waiting.text) {
                run(actions.editQueued?.(waiting.turn_id, text));
              }
            }}
          />
        ) : (
          <li key={waiting.turn_id}>
            <Icon name="queue" />
            <span class="cut grow" dir="auto">
              <Visible text={waiting.text} strictness="controls" />
            </span>
            {steers ? (
              <IconButton
                icon="send"
                label={t('Steer: say it in the running turn')}
                onClick={() => run(actions.steer?.(waiting.turn_id))}
              />
            ) : (
              actions.sendNow !== undefined && (
                <IconButton
                  icon="send"
                  label={t('Stop and send now')}
                  onClick={() => run(actions.sendNow?.(waiting.turn_id))}
                />
              )
            )}
            {actions.editQueued !== undefined && (
              <span data-edit={waiting.turn_id}>
                <IconButton
                  icon="edit"
                  label={t('Edit queued message')}
                  onClick={() => setEditing(waiting.turn_id)}
                />
              </span>
            )}
            {actions.removeQueued !== undefined && (
              <IconButton
                icon="close"
                label={t('Remove queued message')}
                onClick={() => run(actions.removeQueued?.(session.session_id, waiting.turn_id))}
              />
            )}
          </li>
        ),
      )}
    </ul>
  );
}

interface EditedProps {
  readonly waiting: QueuedPrompt;
  readonly t: Translate;
  /** Called with the new text; `null` leaves the message unchanged. */
  readonly onDone: (text: string | null) => void;
}

/** A queued message that is being edited: Enter saves, Escape cancels. */
function Edited({ waiting, t, onDone }: EditedProps) {
  const [text, setText] = useState(waiting.text);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);
  const keep = () => {
    if (text.trim() !== '') {
      onDone(text);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.shiftKey) {
      return;
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      keep();
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      onDone(null);
    }
  };
  return (
    <li>
      <Icon name="queue" />
      <textarea
        class="grow"
        aria-label={t('Queued message')}
        rows={2}
        dir="auto"
        value={text}
        ref={box}
        onInput={event => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <IconButton icon="keep" label={t('Save')} disabled={text.trim() === ''} onClick={keep} />
      <IconButton icon="close" label={t('Cancel')} onClick={() => onDone(null)} />
    </li>
  );
}
