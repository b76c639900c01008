import { useId, useState } from 'preact/hooks';

import { Icon } from '../parts/icons';
import { Visible } from '../parts/odd_characters';
import { useScene } from '../scene';

/** How long an answer is remembered. */
export type Memory = 'session' | 'workspace';

interface PermissionMoreProps {
  /** The rule by which an answer can be remembered; empty for none. */
  readonly rule: string;
  readonly canReject: boolean;
  readonly disabled: boolean;
  readonly reason: string;
  readonly onReason: (reason: string) => void;
  /** Rejects with the reason typed. */
  readonly onReject: () => void;
  readonly onRemember: (memory: Memory) => void;
}

/** What goes beyond the agent's options: remembering an answer, or giving a reason to reject. */
export function PermissionMore(props: PermissionMoreProps) {
  const { rule, canReject, disabled, reason } = props;
  const { t } = useScene();
  const [open, setOpen] = useState(false);
  const id = useId();
  if (rule === '' && !canReject) {
    return null;
  }
  const summary =
    rule === '' ? t('Say why not') : canReject ? t('Remember, or say why not') : t('Remember');
  return (
    <details class="acp-more" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="chevron" small class="chev" />
        {summary}
      </summary>
      {open && rule !== '' && (
        <div class="row">
          <span class="grow">
            {t('Allow without asking:')}{' '}
            <code dir="ltr">
              <Visible text={rule} strictness="lookalikes" />
            </code>
          </span>
          <button
            type="button"
            class="btn small"
            disabled={disabled}
            onClick={() => props.onRemember('session')}
          >
            {t('Always in this session')}
          </button>
          <button
            type="button"
            class="btn small"
            disabled={disabled}
            onClick={() => props.onRemember('workspace')}
          >
            {t('Always in this folder')}
          </button>
        </div>
      )}
      {open && canReject && (
        <div class="row">
          <label for={id}>{t('Why not')}</label>
          <input
            id={id}
            type="text"
            class="grow"
            maxLength={4000}
            disabled={disabled}
            value={reason}
            onInput={event => props.onReason(event.currentTarget.value)}
            onKeyDown={event => {
              if (event.key === 'Enter' && !event.isComposing && reason.trim() !== '') {
                event.preventDefault();
                props.onReject();
              }
            }}
            placeholder={t('The agent gets it as the next message')}
          />
        </div>
      )}
    </details>
  );
}
