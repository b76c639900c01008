import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import { currentName } from '../../state/session_view';
import type { SessionState } from '../../wire/types';
import { useScene } from '../scene';
import type { IconName } from './icon_drawings';
import { Icon } from './icons';

interface IconButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
  readonly class?: string;
  readonly disabled?: boolean;
}

/** A button with an icon, an accessible name and a title. */
export function IconButton({
  icon,
  label,
  onClick,
  class: kind = 'ico',
  disabled = false,
}: IconButtonProps) {
  return (
    <button
      type="button"
      class={kind}
      aria-label={label}
      title={label}
      // Not `disabled`: that would take the focus away.
      aria-disabled={disabled}
      onClick={disabled ? undefined : onClick}
    >
      <Icon name={icon} />
    </button>
  );
}

interface ActionButtonProps {
  /** Started by a click; the button ignores clicks until it has ended. */
  readonly run: () => Promise<void>;
  readonly class?: string;
  readonly label?: string;
  readonly children: ComponentChildren;
  readonly onFailure?: (message: string) => void;
}

/** A button that ignores clicks while its action runs. */
export function ActionButton({
  run,
  class: kind = 'btn small',
  label,
  children,
  onFailure,
}: ActionButtonProps) {
  const [busy, setBusy] = useState(false);
  const start = () => {
    if (busy) {
      return;
    }
    setBusy(true);
    run()
      .catch((error: unknown) => onFailure?.(messageOf(error)))
      .finally(() => setBusy(false));
  };
  return (
    <button
      type="button"
      class={kind}
      aria-label={label}
      title={label}
      // Not `disabled`: that would take the focus away.
      aria-disabled={busy}
      onClick={start}
    >
      {children}
    </button>
  );
}

/** The sentence of an error, as the host wrote it. */
export function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}

const UNASKED: Record<Exclude<SessionState['unasked'], ''>, string> = {
  edits: 'Edits files without asking',
  judged: 'Decides itself what to ask',
  all: 'Asks about nothing',
};

/** Warns what the agent's mode lets it do without asking, which no policy sees; else nothing. */
export function Unasked({ session }: { readonly session: SessionState | null }) {
  const { t } = useScene();
  if (session === null || session.unasked === '') {
    return null;
  }
  const why = t(
    'Mode “%1” of the agent. The policy decides only about what it asks.',
    currentName(session, 'mode'),
  );
  return (
    <span class="badge warn" title={why}>
      {t(UNASKED[session.unasked])}
      <span class="vh">{why}</span>
    </span>
  );
}

interface AllowAllProps {
  readonly sessionId: string;
  readonly onFailure: (message: string) => void;
}

/**
 * Says that everything is allowed without asking; a click sets the policy to `ask`, also for this
 * turn.
 */
export function AllowAll({ sessionId, onFailure }: AllowAllProps) {
  const { actions, t } = useScene();
  return actions?.setConfig === undefined ? (
    <span class="badge warn">{t('Allow-all')}</span>
  ) : (
    <ActionButton
      class="badge warn"
      label={t('Allow-all: ask again')}
      run={async () => {
        await actions.setConfig?.(sessionId, { policy: 'ask' });
      }}
      onFailure={onFailure}
    >
      {t('Allow-all')}
    </ActionButton>
  );
}
