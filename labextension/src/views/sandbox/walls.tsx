import type { SessionState, WallsInForce } from '../../wire/types';
import type { Translate } from '../i18n';
import { Icon } from '../parts/icons';
import { useOpen, useScene } from '../scene';
import { NETWORK_SENTENCES, SANDBOX_SENTENCES } from './sandbox_texts';

interface WallsProps {
  /** `null` for a saved output; its footer says which sandbox was chosen. */
  readonly session: SessionState | null;
}

const NAMES: Record<WallsInForce['level'], string> = {
  full: 'Sandbox: %1',
  partial: 'Sandbox: %1, partial',
  none: 'Sandbox: %1, not kept',
};

/** Shows the agent's current sandbox and its level; a click opens the reasons. */
export function WallsBadge({ session }: WallsProps) {
  const { t } = useScene();
  const [id, open, setOpen] = useWords(session);
  const walls = wallsOf(session);
  return (
    walls && (
      <button
        type="button"
        class={walls.level === 'full' ? 'badge' : 'badge warn'}
        title={`${sentencesOf(walls, t)} ${walls.why}`.trim()}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        {t(NAMES[walls.level], t(walls.sandbox))}
      </button>
    )
  );
}

/**
 * The details of the badge: what the sandbox is, how well it is enforced here, and why not better.
 */
export function WallsNote({ session }: WallsProps) {
  const { t } = useScene();
  const [id, open] = useWords(session);
  const walls = wallsOf(session);
  return (
    walls &&
    open && (
      <div
        class="acp-note"
        data-tone={walls.level === 'full' ? 'info' : 'warn'}
        role="group"
        aria-label={t('Sandbox')}
        id={id}
      >
        <Icon name="lock" />
        <div>
          <p>{sentencesOf(walls, t)}</p>
          <p dir="auto">{walls.why}</p>
        </div>
      </div>
    )
  );
}

/** The id of the details, whether they are open, and a function that opens them. */
function useWords(session: SessionState | null): [string, boolean, (open: boolean) => void] {
  const { host } = useScene();
  const id = `acp-walls-${host}-${session?.session_id ?? ''}`;
  return [id, ...useOpen(id, false)];
}

function wallsOf(session: SessionState | null): WallsInForce | null {
  const walls = session?.walls ?? null;
  return walls?.sandbox === 'off' ? null : walls;
}

function sentencesOf({ sandbox, level, network }: WallsInForce, t: Translate): string {
  const lacks = {
    full: '',
    partial: t('Only in part here:'),
    none: t('Not enforced here:'),
  };
  const reached = network === 'all' ? '' : t(NETWORK_SENTENCES[network]);
  return [t(SANDBOX_SENTENCES[sandbox]), reached, lacks[level]].filter(Boolean).join(' ');
}
