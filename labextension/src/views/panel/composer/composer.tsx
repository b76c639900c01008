import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { DraftAttachment } from '../../../state/attachments';
import type { SessionView } from '../../../state/session_view';
import type { SessionStore } from '../../../state/store';
import { DRAFT, NOTICE, SANDBOX_OFFER, SENT, UNPINNED } from '../../../state/ui';
import type { Policy } from '../../../wire/policy';
import type { AgentEntry, SessionState } from '../../../wire/types';
import type { Actions } from '../../actions';
import type { AddedCommand } from '../../additions';
import type { Translate } from '../../i18n';
import { IconButton, messageOf } from '../../parts/buttons';
import type { SendKey } from '../../props';
import { useAllAdditions, useSubscription, useValue } from '../../scene';
import { AttachButton, Chips } from './attachments';
import { useAttachments } from './local_files';
import { MentionList, mentionBeside, useMentions, withMention, withoutMention } from './mentions';
import { Pickers } from './pickers';
import type { SandboxParts } from './pickers';
import { Queue } from './queue';
import { SlashList, useAddedCommands, useSlash, withCommand } from './slash_commands';
import { UsageRing } from './usage';

/** Pressing Escape twice within this time stops the turn. */
const TWICE_MILLISECONDS = 600;

const NO_COMMANDS: SessionState['commands'] = [];

interface ComposerProps {
  readonly store: SessionStore;
  /** `null` before there is a session, which sending creates. */
  readonly session: SessionState | null;
  readonly agents: readonly AgentEntry[];
  readonly agent: AgentEntry | null;
  /** The policy of the session to start. */
  readonly policy: Policy;
  readonly onPolicy: (policy: Policy) => void;
  readonly sandboxParts?: SandboxParts | undefined;
  readonly actions: Actions;
  readonly t: Translate;
  readonly offline: boolean;
  readonly sendKey?: SendKey;
  readonly onAgent: (agentId: string) => void;
  /** Shows all agents. */
  readonly onAdd: () => void;
  /** Id of the session to send to; creates one if there is none. */
  readonly toSession: () => Promise<string>;
  /** The store of a session, if it is shown now. */
  readonly shownStore: (sessionId: string) => SessionStore | null;
  readonly onFailure: (message: string) => void;
}

/** The message box with its pickers, and the queued messages. */
export function Composer(props: ComposerProps) {
  const { store, session, actions, t, onFailure, sendKey = 'enter' } = props;
  useSubscription(useCallback(listener => store.subscribeSession(listener), [store]));
  const [text, setText] = useValue(DRAFT);
  const [sending, setSending] = useState(false);
  const escaped = useRef(-Infinity);
  const history = useRef(0);
  const running = session?.active_turn_id ?? null;
  const name = session?.agent_info.name ?? props.agent?.name ?? t('the agent');
  const { mentions: source } = actions;
  // An agent's capabilities are not known before it runs; it may refuse images then.
  const images = session?.prompt_capabilities.includes('image') ?? true;
  const attaching = useAttachments(
    store,
    source === undefined ? null : { agent: name, images },
    t,
    onFailure,
  );
  const box = useRef<HTMLTextAreaElement>(null);
  /** Position of the caret once the text is drawn. */
  const caret = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (caret.current !== null) {
      box.current?.setSelectionRange(caret.current, caret.current);
      caret.current = null;
    }
  });
  const mentions = useMentions(
    source,
    (mention, token) => {
      const next = withMention(store.ui.value(DRAFT), token, mention.word);
      caret.current = next.caret;
      setText(next.text);
      attaching.add({ ...mention.attachment, mention: mention.word });
    },
    t,
  );

  const send = async () => {
    // The last typed characters may not be drawn yet.
    const message = store.ui.value(DRAFT).trim();
    if ((message === '' && attaching.list.length === 0) || sending) {
      return;
    }
    setSending(true);
    setText('');
    mentions.close();
    const attached = store.ui.attachments.take();
    const unpinned = store.ui.value(UNPINNED);
    store.ui.setValue(UNPINNED, '');
    history.current = 0;
    let sessionId = store.sessionId;
    try {
      sessionId = await props.toSession();
      store.ui.setValue(SENT, String(performance.now()));
      store.ui.setValue(NOTICE, '');
      store.ui.setValue(SANDBOX_OFFER, '');
      const without = unpinned.split('\n').filter(Boolean);
      await actions.send?.(sessionId, message, attached, without);
    } catch (error) {
      // The draft is not lost; a session created for it is shown by now.
      const { ui } = props.shownStore(sessionId) ?? store;
      const since = ui.value(DRAFT);
      ui.setValue(DRAFT, since === '' ? message : `${message}\n${since}`);
      attached.forEach(one => ui.attachments.add(one));
      ui.setValue(UNPINNED, unpinned);
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
      const message = messages[messages.length - next] ?? '';
      setText(message);
      store.ui.attachments.followText(message);
    }
  };
  /** Selects the mention beside the caret, so that the key deletes it whole. */
  const selectMention = (key: 'Backspace' | 'Delete') => {
    const { value = '', selectionStart = 0, selectionEnd = 0 } = box.current ?? {};
    if (selectionStart === selectionEnd) {
      const words = attaching.list.flatMap(({ mention }) => mention ?? []);
      const range = mentionBeside(value, selectionStart, key, words);
      box.current?.setSelectionRange(...(range ?? [selectionStart, selectionStart]));
    }
  };
  const remove = (attachment: DraftAttachment) => {
    const { mention } = attachment;
    if (mention !== undefined) {
      setText(withoutMention(store.ui.value(DRAFT), mention));
    }
    attaching.remove(attachment);
  };
  const heads = useAllAdditions(actions).get('composer');
  const [form, setForm] = useState<AddedCommand | null>(null);
  const added = useAddedCommands(text, session?.session_id ?? '', actions);
  const slash = useSlash(
    form === null ? text : '',
    session?.commands ?? NO_COMMANDS,
    added,
    (command, more) => {
      if (more !== null && session === null && props.agents.some(({ id }) => id === more.agent)) {
        props.onAgent(more.agent);
      }
      if (more?.form) {
        setForm(more);
      } else {
        setText(withCommand(command));
      }
    },
    t,
  );
  const leaveForm = (message: string | null) => {
    setForm(null);
    if (message !== null) {
      setText(message);
      caret.current = message.length;
    }
    box.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (slash.onKeyDown(event) || mentions.onKeyDown(event)) {
      return;
    }
    const modified = event.ctrlKey || event.metaKey || event.altKey;
    if (event.key === 'Enter' && modified && !event.altKey) {
      event.preventDefault();
      void send();
      return;
    }
    if (modified) {
      return;
    }
    if (event.key === 'Backspace' || event.key === 'Delete') {
      selectMention(event.key);
      return;
    }
    if (event.key === 'Enter') {
      if (event.shiftKey === (sendKey === 'shift-enter')) {
        event.preventDefault();
        void send();
      }
    } else if (event.shiftKey) {
      return;
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
      <div class={attaching.over ? 'acp-box is-on' : 'acp-box'} {...attaching.box}>
        {form?.form && <form.form onDone={leaveForm} onCancel={() => leaveForm(null)} />}
        {slash.list !== null && <SlashList {...slash.list} />}
        {slash.list === null && mentions.list !== null && <MentionList {...mentions.list} />}
        {heads.map((Head, index) => (
          <Head
            key={index}
            session={session}
            attachments={attaching.list}
            onRemove={remove}
            ui={store.ui}
          />
        ))}
        <Chips
          attachments={attaching.list}
          t={t}
          onRemove={remove}
          onLeave={() => box.current?.focus()}
        />
        <textarea
          ref={box}
          aria-label={t('Message')}
          rows={2}
          dir="auto"
          placeholder={
            running !== null
              ? t('Queue the next message')
              : source === undefined
                ? t('Message %1', name)
                : t('Message %1 (@ context, / commands)', name)
          }
          value={text}
          onInput={event => {
            const { value, selectionStart } = event.currentTarget;
            setText(value);
            store.ui.attachments.followText(value);
            mentions.onInput(value, selectionStart);
          }}
          onBlur={mentions.close}
          onKeyDown={onKeyDown}
          {...(slash.list === null ? mentions.aria : slash.aria)}
        />
        {props.sandboxParts?.offer}
        <div class="acp-tools">
          {source !== undefined && <AttachButton t={t} onFiles={attaching.addFiles} />}
          <span class="acp-picks grow">
            <Pickers
              session={session}
              agents={props.agents}
              agent={session?.agent ?? props.agent?.id ?? ''}
              policy={props.policy}
              sandboxParts={props.sandboxParts}
              actions={actions}
              t={t}
              onAgent={props.onAgent}
              onPolicy={props.onPolicy}
              onAdd={props.onAdd}
              toSession={props.toSession}
              onFailure={onFailure}
            />
          </span>
          <UsageRing session={session} actions={actions} t={t} />
          {running !== null && (
            <IconButton icon="stop" class="acp-stop" label={t('Stop')} onClick={stop} />
          )}
          {actions.send !== undefined && (
            <IconButton
              icon="send"
              class="acp-send"
              label={t('Send')}
              disabled={
                (text.trim() === '' && attaching.list.length === 0) || sending || props.offline
              }
              onClick={() => {
                box.current?.focus();
                void send();
              }}
            />
          )}
        </div>
      </div>
    </>
  );
}

/** The user's messages in this session, oldest first, without repetitions. */
export function historyOf(view: SessionView): string[] {
  const messages: string[] = [];
  for (const id of view.order) {
    const item = view.items.get(id);
    if (item?.kind === 'user_message' && item.text !== messages[messages.length - 1]) {
      messages.push(item.text);
    }
  }
  return messages;
}
