import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { Permission, PermissionOption, ToolCall } from '../../wire/types';
import { agentOf } from '../../state/session_view';
import { plural } from '../i18n';
import { messageOf } from '../parts/buttons';
import type { IconName } from '../parts/icon_drawings';
import { Icon } from '../parts/icons';
import { focusedElement } from '../parts/keyboard';
import { oddNames, Visible } from '../parts/odd_characters';
import { Unread, UnsureLines, useUnreadParts } from '../unread';
import { useScene } from '../scene';
import { WaitsFor } from './answered_by';
import { PermissionDetails } from './permission_details';
import { useAnswerable } from './answerable';
import { bringIntoView, scrollToRequest } from './in_view';
import { keyOf, MoreAnswers, RejectReason } from './permission_more';
import type { Memory } from './permission_more';
import { RequestKey } from './request_keys';

/** A policy or rule answers within this time; until then nothing is announced. */
const ANSWERED_MS = 150;

interface PermissionCardProps {
  readonly item: ToolCall;
  readonly permission: Permission;
  /** Ids of the other waiting requests of the session, in order. */
  readonly others: readonly string[];
}

/** A permission request: everything that would be allowed, and the agent's options. */
export function PermissionCard({ item, others, permission }: PermissionCardProps) {
  const { store, actions, askedBelow, t, announce } = useScene();
  const card = useRef<HTMLDivElement>(null);
  const [failure, setFailure] = useState('');
  const [answering, setAnswering] = useState(false);
  const [reason, setReason] = useState('');
  const { title, request_id: requestId, options } = permission;
  const [unread, tellUnread] = useUnreadParts();
  // Unfolding moves the buttons away, so that the user passes the new part to reach them again.
  const answerable = useAnswerable(card, `${requestId} ${unread.size > 0 ? 'folded' : 'whole'}`);
  const isLocked = unread.size > 0 || permission.too_large;

  useLayoutEffect(() => {
    const timer = setTimeout(() => {
      if (card.current !== null) {
        bringIntoView(card.current);
      }
      announce(
        `${t('Permission request: %1.', title)} ${plural(t, options.length, '1 option.', '%1 options.')}`,
        'assertive',
      );
    }, ANSWERED_MS);
    return () => clearTimeout(timer);
  }, [requestId]);

  const answer = (optionId: string | null, memory: Memory | null = null, wider = '') => {
    const kind = options.find(option => option.option_id === optionId)?.option_kind ?? '';
    const rejects = optionId === null || kind.startsWith('reject');
    if (actions === null || answering || !answerable || (isLocked && !rejects)) {
      return;
    }
    // The pressed button will be disabled, and would lose the focus.
    if (card.current?.contains(focusedElement()) === true) {
      card.current.focus({ preventScroll: true });
    }
    setAnswering(true);
    setFailure('');
    const said = kind.startsWith('reject') ? reason.trim() : '';
    const more =
      memory === null && said === '' ? [] : [{ remember: memory, wider_rule: wider, reason: said }];
    actions
      .answerPermission(store.sessionId, requestId, optionId, ...more)
      .catch((error: unknown) => {
        setAnswering(false);
        setFailure(messageOf(error));
      });
  };
  const waitsFor = store.waitsFor(item.turn_id);
  const mine = waitsFor === '' && askedBelow !== true ? actions : null;
  const disabled = answering || !answerable;
  const first = options.findIndex(option => option.option_kind === 'allow_once');
  const once = options[first]?.option_id;
  const no = options.find(option => option.option_kind.startsWith('reject'))?.option_id;
  const why = mine !== null && no !== undefined && (
    <RejectReason
      disabled={disabled}
      reason={reason}
      onReason={setReason}
      onReject={() => answer(no)}
    />
  );
  return (
    <div class="acp-request" data-new={!answerable || undefined}>
      <div
        class="acp-perm"
        role="group"
        aria-label={t('Permission request')}
        aria-busy={answering}
        tabIndex={-1}
        data-request={requestId}
        ref={card}
      >
        <header role="presentation">
          <Icon name="warning" />
          <b class="grow" dir="auto">
            <Visible text={title} />
          </b>
          {others.length > 0 && <MoreWaiting others={others} />}
        </header>
        <Unread.Provider value={tellUnread}>
          <UnsureLines.Provider value={permission.text_differs}>
            <PermissionDetails item={item} reason={permission.reason} />
          </UnsureLines.Provider>
        </Unread.Provider>
        {failure !== '' && (
          <p class="acp-failure err" role="alert">
            {failure}
          </p>
        )}
        <WaitsFor person={waitsFor} />
        {mine !== null && unread.size > 0 && (
          <p class="acp-unread">
            <span>{t('Only what was shown can be allowed.')}</span>
            <button
              type="button"
              class="btn small"
              onClick={() => {
                card.current?.focus({ preventScroll: true });
                unread.forEach(open => open());
              }}
            >
              {t('Show all of it')}
            </button>
          </p>
        )}
        <div class="acp-opts">
          {mine !== null &&
            options.map((option, index) => (
              <OptionButton
                key={option.option_id}
                option={option}
                index={index}
                primary={index === first}
                disabled={disabled || (isLocked && !option.option_kind.startsWith('reject'))}
                onChoose={() => answer(option.option_id)}
              />
            ))}
          {mine !== null && options.length === 0 && (
            <button type="button" class="btn" disabled={disabled} onClick={() => answer(null)}>
              {t('Cancel')}
            </button>
          )}
          {answering && <span class="spin" aria-hidden="true" />}
          {mine !== null && <RequestKey />}
        </div>
        {mine !== null && once !== undefined ? (
          <MoreAnswers
            permission={permission}
            kind={item.tool_kind}
            disabled={disabled}
            isLocked={isLocked}
            onRemember={(memory, wider) => answer(once, memory, wider)}
          >
            {why}
          </MoreAnswers>
        ) : (
          why
        )}
      </div>
    </div>
  );
}

interface OptionButtonProps {
  readonly option: PermissionOption;
  readonly index: number;
  readonly primary: boolean;
  readonly disabled: boolean;
  readonly onChoose: () => void;
}

/** Icons of the protocol's kinds of options; others have none. */
const OPTION_ICONS: ReadonlyMap<string, IconName> = new Map([
  ['allow_once', 'keep'],
  ['allow_always', 'keep_always'],
  ['reject_once', 'close'],
  ['reject_always', 'cancelled'],
]);

/**
 * A button with the agent's own name for the option. Its key is not part of the name; nor is the
 * note that the agent stores a lasting answer itself, by its own rules.
 */
function OptionButton({ option, index, primary, disabled, onChoose }: OptionButtonProps) {
  const { store, t } = useScene();
  const key = keyOf(index);
  const icon = OPTION_ICONS.get(option.option_kind);
  const marked = oddNames([option.name], 'invisible').length > 0;
  const agent = agentOf(store.view).name || t('the agent');
  const lasts = option.option_kind.endsWith('_always');
  return (
    <button
      type="button"
      class={`btn wrap${primary ? ' primary' : ''}`}
      aria-label={marked || lasts ? option.name : undefined}
      title={lasts ? t('%1 remembers this itself; it is not one of your rules', agent) : undefined}
      aria-keyshortcuts={key}
      data-option={key}
      data-option-kind={icon === undefined ? undefined : option.option_kind}
      disabled={disabled}
      onClick={onChoose}
    >
      {icon !== undefined && <Icon name={icon} small />}
      <bdi>
        <Visible text={option.name} />
      </bdi>
      {lasts && (
        <small dir="auto">
          <Visible text={t('(%1’s own)', agent)} />
        </small>
      )}
      {key !== undefined && <kbd aria-hidden="true">{key}</kbd>}
    </button>
  );
}

function MoreWaiting({ others }: { readonly others: readonly string[] }) {
  const { t } = useScene();
  const go = (event: MouseEvent) => {
    const view =
      event.currentTarget instanceof Element ? event.currentTarget.closest('.acp') : null;
    goToPermission(view, others[0] ?? '');
  };
  return (
    <button type="button" class="badge" title={t('Go to the next question')} onClick={go}>
      {plural(t, others.length, '1 more waiting', '%1 more waiting')}
    </button>
  );
}

/** Focuses a request and scrolls to it; called only on a click or key. */
export function goToPermission(view: Element | null, requestId: string): void {
  const card = [...(view?.querySelectorAll('[data-request]') ?? [])].find(
    each => each instanceof HTMLElement && each.dataset.request === requestId,
  );
  if (card instanceof HTMLElement) {
    card.focus({ preventScroll: true });
    scrollToRequest(card);
  }
}
