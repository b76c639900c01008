import { useCallback, useRef, useState } from 'preact/hooks';

import type { SessionStore } from '../../state/store';
import type { AgentEntry, SessionState } from '../../wire/types';
import type { Actions } from '../actions';
import type { Translate } from '../i18n';
import { IconButton, messageOf } from '../parts/buttons';
import { useSubscription, useValue } from '../parts/hooks';
import { historyOf } from './history';
import { Pickers } from './pickers';
import { Queue } from './queue';
import { Ring } from './ring';
import { SlashList, useSlash } from './slash_list';

/** Escape pressed twice within this time stops the turn. */
const TWICE_MILLISECONDS = 600;
/** Names the message that is being written. */
export const DRAFT = 'draft';
const NONE: SessionState['commands'] = [];

interface ComposerProps {
  readonly store: SessionStore;
  /** `null` before there is a session: sending makes one. */
  readonly session: SessionState | null;
  readonly agents: readonly AgentEntry[];
  readonly agent: AgentEntry | null;
  readonly actions: Actions;
  readonly t: Translate;
  readonly offline: boolean;
  readonly onAgent: (agentId: string) => void;
  /** The session to send to; makes one if there is none. */
  readonly toSession: () => Promise<string>;
  readonly onFailure: (message: string) => void;
}

/** The message box with its pickers, and the messages that wait. */
export function Composer(props: ComposerProps) {
  const { store, session, actions, t, onFailure } = props;
  useSubscription(useCallback(listener => store.subscribeSession(listener), [store]));
  const [text, setText] = useValue(DRAFT);
  const [sending, setSending] = useState(false);
  const escaped = useRef(0);
  const history = useRef(0);
  const running = session?.active_turn_id ?? null;
  const name = session?.agent_info.name ?? props.agent?.name ?? t('the agent');

  const send = async () => {
    // What was typed last may not have been drawn yet.
    const message = store.ui.value(DRAFT).trim();
    if (message === '' || sending) {
      return;
    }
    setSending(true);
    setText('');
    history.current = 0;
    try {
      await actions.send?.(await props.toSession(), message);
    } catch (error) {
      // Nothing written is lost.
      setText(store.ui.value(DRAFT) === '' ? message : `${message}\n${store.ui.value(DRAFT)}`);
      onFailure(messageOf(error));
    } finally {
      setSending(false);
    }
  };
  const stop = () => {
    if (session !== null) {
      actions.cancel(session.session_id, null).catch((error: unknown) => {
        onFailure(messageOf(error));
      });
    }
  };
  const recall = (by: 1 | -1) => {
    const messages = historyOf(store.view);
    const next = Math.min(messages.length, Math.max(0, history.current + by));
    if (next !== history.current) {
      history.current = next;
      setText(messages[messages.length - next] ?? '');
    }
  };
  const slash = useSlash(text, session?.commands ?? NONE, setText, t);
  const onKeyDown = (event: KeyboardEvent) => {
    if (slash.onKeyDown(event)) {
      return;
    }
    const plain = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (event.isComposing || !plain) {
      return;
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      void send();
    } else if (event.key === 'Escape') {
      const now = performance.now();
      if (running !== null && now - escaped.current < TWICE_MILLISECONDS) {
        stop();
      }
      escaped.current = now;
    } else if (event.key === 'ArrowUp' && (text === '' || history.current > 0)) {
      event.preventDefault();
      recall(1);
    } else if (event.key === 'ArrowDown' && history.current > 0) {
      event.preventDefault();
      recall(-1);
    }
  };
  return (
    <>
      {session !== null && (
        <Queue session={session} actions={actions} t={t} onFailure={onFailure} />
      )}
      <div class="acp-box">
        {slash.list !== null && <SlashList {...slash.list} />}
        <textarea
          aria-label={t('Message')}
          rows={2}
          dir="auto"
          placeholder={running === null ? t('Message %1', name) : t('Sent after this turn')}
          value={text}
          onInput={event => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          {...slash.aria}
        />
        <div class="acp-tools">
          <Pickers
            session={session}
            agents={props.agents}
            agent={session?.agent ?? props.agent?.id ?? ''}
            actions={actions}
            t={t}
            onAgent={props.onAgent}
            onFailure={onFailure}
          />
          <span class="grow" />
          <Ring usage={session?.usage ?? null} t={t} />
          {running !== null && (
            <IconButton icon="stop" class="acp-stop" label={t('Stop')} onClick={stop} />
          )}
          {actions.send !== undefined && (
            <IconButton
              icon="send"
              class="acp-send"
              label={t('Send')}
              disabled={text.trim() === '' || sending || props.offline}
              onClick={() => void send()}
            />
          )}
        </div>
      </div>
    </>
  );
}
