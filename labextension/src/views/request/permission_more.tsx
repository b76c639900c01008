import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { Permission, ToolCall } from '../../wire/types';
import { Icon } from '../parts/icons';
import { Visible } from '../parts/odd_characters';
import { useScene } from '../scene';

/** How long an answer is remembered. */
export type Memory = 'session' | 'workspace';

interface MoreAnswersProps {
  readonly permission: Permission;
  readonly kind: ToolCall['tool_kind'];
  readonly disabled: boolean;
  /** Whether nothing may be allowed yet. */
  readonly isLocked: boolean;
  /**
   * Allows, and remembers the answer by a wider rule, or by an empty text for exactly this request.
   */
  readonly onRemember: (memory: Memory, wider: string) => void;
  /** The control that rejects with a reason. */
  readonly children: ComponentChildren;
}

/** The menu of all answers that aren't the agent's own, each with its scope. */
export function MoreAnswers(props: MoreAnswersProps) {
  const { permission, kind, disabled, isLocked, onRemember, children } = props;
  const { t } = useScene();
  const [open, setOpen] = useState(false);
  const menu = useRef<HTMLDetailsElement>(null);
  useLayoutEffect(() => {
    if (open) {
      menu.current?.scrollIntoView({ block: 'nearest' });
    }
  }, [open]);
  const { rule, wider_rules: wider, options } = permission;
  if (rule === '' && wider.length === 0) {
    return <>{children}</>;
  }
  const exact =
    kind === 'execute' ? t('This command') : kind === 'fetch' ? t('This address') : t('This file');
  const rules = [
    ...(rule === '' ? [] : [{ text: '', words: exact, title: rule }]),
    ...wider.map(each => ({ ...each, title: each.text })),
  ];
  const own = keyOf(options.length);
  const reaches: readonly { memory: Memory; words: string }[] = [
    { memory: 'session', words: t('Always in this session') },
    { memory: 'workspace', words: t('Always in this folder') },
  ];
  return (
    <details
      class="acp-more acp-always"
      ref={menu}
      onToggle={event => setOpen(event.currentTarget.open)}
    >
      <summary aria-keyshortcuts={own} data-option={own}>
        <Icon name="chevron" small class="chev" />
        {t('More answers')}
        {own !== undefined && <kbd aria-hidden="true">{own}</kbd>}
      </summary>
      {open &&
        reaches.map(({ memory, words: reach }, group) => (
          <div key={memory} class="acp-reach" role="group" aria-label={reach}>
            <span>{reach}</span>
            {rules.map(({ text, words, title }, index) => {
              const key = keyOf(options.length + 1 + group * rules.length + index);
              return (
                <button
                  key={text}
                  type="button"
                  class="btn small wrap"
                  title={title}
                  aria-keyshortcuts={key}
                  data-option={key}
                  disabled={disabled || isLocked}
                  onClick={() => onRemember(memory, text)}
                >
                  <bdi>
                    <Visible text={words} strictness="lookalikes" />
                  </bdi>
                  {key !== undefined && <kbd aria-hidden="true">{key}</kbd>}
                </button>
              );
            })}
          </div>
        ))}
      {open && children}
    </details>
  );
}

/** The key that chooses the answer at an index; the first nine have one. */
export function keyOf(index: number): string | undefined {
  return index < 9 ? String(index + 1) : undefined;
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
            placeholder={t('The agent gets it as your next message')}
          />
        </div>
      )}
    </details>
  );
}
