import { useEffect } from 'preact/hooks';

import { SANDBOX_OFFER } from '../../state/ui';
import type { Policy } from '../../wire/policy';
import type { Sandbox } from '../../wire/sandbox';
import { IconButton } from '../parts/buttons';
import { Icon } from '../parts/icons';
import { useScene, useValue } from '../scene';

interface SandboxOfferProps {
  /** The policy of the session, or of the one to start. */
  readonly policy: Policy;
  /** `null` leaves it to the server. */
  readonly sandbox: Sandbox | null;
  readonly onUse: () => void;
  /** Called when a click removes the line. */
  readonly onGone: () => void;
}

/**
 * Offers the sandbox `folder` when `allow-all` is first chosen, and never again.
 *
 * The offer stays until it is accepted or closed, a message is sent, or something else is chosen.
 */
export function SandboxOffer({ policy, sandbox, onUse, onGone }: SandboxOfferProps) {
  const { store, actions, t } = useScene();
  const { ui } = store;
  const [open, setOpen] = useValue(SANDBOX_OFFER);
  const changes = actions?.setConfig !== undefined;
  const allowed = actions?.sandboxes?.includes('folder') ?? true;
  const fits =
    changes && allowed && policy === 'allow-all' && (sandbox === null || sandbox === 'off');
  useEffect(() => {
    if (fits && !ui.sandboxOffered) {
      ui.sandboxOffered = true;
      ui.setValue(SANDBOX_OFFER, 'open');
    }
  }, [fits, ui]);
  if (open === '' || !fits) {
    return null;
  }
  const close = () => {
    setOpen('');
    onGone();
  };
  return (
    <div class="acp-note" data-tone="info" role="status">
      <Icon name="lock" />
      <div>
        <p>
          {t(
            'With “Allow all”, an agent can change everything that you can. In the sandbox “Folder”, it can write only in the folder.',
          )}
        </p>
        <div class="row">
          <button
            type="button"
            class="btn small"
            onClick={() => {
              onUse();
              close();
            }}
          >
            {t('Use the sandbox folder')}
          </button>
        </div>
      </div>
      <IconButton icon="close" label={t('Close')} onClick={close} />
    </div>
  );
}
