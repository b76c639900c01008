import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { SessionState } from '../../../wire/types';
import type { ConfigChange } from '../../actions';
import type { Translate } from '../../i18n';
import { messageOf } from '../../parts/buttons';
import { Icon } from '../../parts/icons';
import { useOutside } from '../../parts/outside';

interface LimitPickerProps {
  /** `null` before there is a session: setting a limit makes it. */
  readonly session: SessionState | null;
  readonly t: Translate;
  /** Resolves when the limits are set; the error is the server's sentence. */
  readonly onSet: (change: ConfigChange) => Promise<void>;
}

/** A button that shows the session's limits, and a form above it that sets them. */
export function LimitPicker({ session, t, onSet }: LimitPickerProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLSpanElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  useOutside(root, open, () => setOpen(false));
  const leave = () => {
    setOpen(false);
    button.current?.focus();
  };
  const set = [session?.turn_limit, session?.limit].filter(Boolean);
  const words = set.join('; ');
  return (
    <span class="acp-picker" ref={root}>
      <button
        type="button"
        class="acp-pick"
        ref={button}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        title={words === '' ? t('Limit what turns may use') : t('Limit: %1', words)}
        onClick={() => setOpen(!open)}
      >
        <span class="cut">{words === '' ? t('No limit') : t('Limit: %1', words)}</span>
        <Icon name="chevron" small class="chev" />
      </button>
      {open && <LimitForm id={id} session={session} t={t} onSet={onSet} onDone={leave} />}
    </span>
  );
}

interface LimitFormProps extends LimitPickerProps {
  readonly id: string;
  readonly onDone: () => void;
}

function LimitForm({ id, session, t, onSet, onDone }: LimitFormProps) {
  const [turn, setTurn] = useState(session?.turn_limit ?? '');
  const [whole, setWhole] = useState(session?.limit ?? '');
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState('');
  const first = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => first.current?.focus(), []);
  const submit = () => {
    if (busy) {
      return;
    }
    const change: ConfigChange = {
      ...(turn.trim() === (session?.turn_limit ?? '') ? {} : { turn_limit: turn.trim() }),
      ...(whole.trim() === (session?.limit ?? '') ? {} : { limit: whole.trim() }),
    };
    if (Object.keys(change).length === 0) {
      onDone();
      return;
    }
    setBusy(true);
    setFailure('');
    onSet(change)
      .then(onDone, (error: unknown) => setFailure(messageOf(error)))
      .finally(() => setBusy(false));
  };
  return (
    <div
      id={id}
      class="acp-pop"
      role="dialog"
      aria-label={t('Limits')}
      onKeyDown={event => {
        event.stopPropagation();
        if (event.key === 'Escape') {
          event.preventDefault();
          onDone();
        }
      }}
    >
      <form
        class="acp-limits"
        onSubmit={event => {
          event.preventDefault();
          submit();
        }}
      >
        <div class="acp-field">
          <label for={`${id}-turn`}>{t('Each turn')}</label>
          <input
            id={`${id}-turn`}
            ref={first}
            type="text"
            autocomplete="off"
            maxLength={200}
            placeholder="10 min, 30 calls"
            value={turn}
            aria-describedby={`${id}-about`}
            onInput={event => {
              setTurn(event.currentTarget.value);
              setFailure('');
            }}
          />
        </div>
        <div class="acp-field">
          <label for={`${id}-whole`}>{t('All turns of this session')}</label>
          <input
            id={`${id}-whole`}
            type="text"
            autocomplete="off"
            maxLength={200}
            placeholder="2 h, 5 USD"
            value={whole}
            aria-describedby={`${id}-about`}
            onInput={event => {
              setWhole(event.currentTarget.value);
              setFailure('');
            }}
          />
        </div>
        <p class="muted" id={`${id}-about`}>
          {t(
            'Time, tool calls, tokens or cost, such as 90 s, 30 calls, 200k tokens, 2 USD. Empty for no limit. It counts from the next turn on.',
          )}
        </p>
        {failure !== '' && (
          <p class="acp-failure err" role="alert">
            {failure}
          </p>
        )}
        <div class="acts">
          <button type="submit" class="btn small" aria-disabled={busy}>
            {t('Set')}
          </button>
          <button type="button" class="btn quiet small" onClick={onDone}>
            {t('Cancel')}
          </button>
        </div>
      </form>
    </div>
  );
}
