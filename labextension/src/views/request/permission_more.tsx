import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { Permission, ToolCall } from '../../wire/types';
import { Icon } from '../parts/icons';
import { Visible } from '../parts/odd_characters';
import { useScene } from '../scene';

/** How long an answer is remembered. */
export type Memory = 'session' | 'workspace';

interface RememberAnswerProps {
  readonly permission: Permission;
  readonly kind: ToolCall['tool_kind'];
  readonly disabled: boolean;
  /** Allows and remembers that: by a wider rule, or an empty text for this very request. */
  readonly onRemember: (memory: Memory, wider: string) => void;
}

/** Buttons that allow a request and what is like it, from now on. */
export function RememberAnswer({ permission, kind, disabled, onRemember }: RememberAnswerProps) {
  const { t } = useScene();
  const [open, setOpen] = useState(false);
  const { rule, wider_rules: wider, options } = permission;
  if (rule === '' && wider.length === 0) {
    return null;
  }
  const exact =
    kind === 'execute' ? t('This command') : kind === 'fetch' ? t('This address') : t('This file');
  const rules = [
    ...(rule === '' ? [] : [{ text: '', words: exact, title: rule }]),
    ...wider.map(each => ({ ...each, title: each.text })),
  ];
  const buttons = (memory: Memory, firstKey: number | null) =>
    rules.map(({ text, words, title }, index) => {
      const key = firstKey === null || firstKey + index > 9 ? undefined : String(firstKey + index);
      return (
        <button
          key={text}
          type="button"
          class="btn small wrap"
          title={title}
          aria-keyshortcuts={key}
          data-option={key}
          disabled={disabled}
          onClick={() => onRemember(memory, text)}
        >
          <bdi>
            <Visible text={words} strictness="lookalikes" />
          </bdi>
          {key !== undefined && <kbd aria-hidden="true">{key}</kbd>}
        </button>
      );
    });
  const session = t('Always in this session');
  const folder = t('Always in this folder');
  return (
    <div class="acp-more acp-always">
      <div class="row" role="group" aria-label={session}>
        <span>{session}</span>
        {buttons('session', options.length + 1)}
      </div>
      <details onToggle={event => setOpen(event.currentTarget.open)}>
        <summary>
          <Icon name="chevron" small class="chev" />
          {folder}
        </summary>
        {open && (
          <div class="row" role="group" aria-label={folder}>
            {buttons('workspace', null)}
          </div>
        )}
      </details>
    </div>
  );
}

interface RejectReasonProps {
  readonly disabled: boolean;
  readonly reason: string;
  readonly onReason: (reason: string) => void;
  /** Rejects with the reason typed. */
  readonly onReject: () => void;
}

/** A field for why a request is rejected. */
export function RejectReason({ disabled, reason, onReason, onReject }: RejectReasonProps) {
  const { t } = useScene();
  const [open, setOpen] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    if (open) {
      field.current?.focus({ preventScroll: true });
      field.current?.scrollIntoView({ block: 'nearest' });
    }
  }, [open]);
  return (
    <details class="acp-more" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="chevron" small class="chev" />
        {t('Say why not')}
      </summary>
      {open && (
        <div class="row">
          <label for={id}>{t('Why not')}</label>
          <input
            id={id}
            ref={field}
            type="text"
            class="grow"
            maxLength={4000}
            disabled={disabled}
            value={reason}
            onInput={event => onReason(event.currentTarget.value)}
            onKeyDown={event => {
              if (event.key === 'Enter' && reason.trim() !== '') {
                event.preventDefault();
                onReject();
              }
            }}
            placeholder={t('The agent gets it as the next message')}
          />
        </div>
      )}
    </details>
  );
}
