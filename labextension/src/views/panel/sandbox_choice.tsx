import type { RefObject } from 'preact';

import type { SessionView } from '../../state/session_view';
import type { Policy } from '../../wire/policy';
import { sandboxOfPolicy, suitsSandbox } from '../../wire/sandbox';
import type { Network, Sandbox } from '../../wire/sandbox';
import type { SessionState } from '../../wire/types';
import type { Actions, ConfigChange } from '../actions';
import type { Translate } from '../i18n';
import { messageOf } from '../parts/buttons';
import { policyName } from './composer/pickers';
import type { SandboxParts } from './composer/pickers';
import { NetworkPicker } from './composer/network_picker';
import { SandboxPicker, whenItCounts, wordsOfStay } from './composer/sandbox_picker';
import { SandboxOffer } from './sandbox_offer';

interface SandboxChoice {
  readonly session: SessionState | null;
  readonly turns: SessionView['turns'];
  /** The policy of the session to start. */
  readonly policy: Policy;
  /** Its sandbox; `null` leaves it to the server. */
  readonly sandbox: Sandbox | null;
  readonly network: Network | null;
  readonly root: RefObject<HTMLElement | null>;
  readonly actions: Actions;
  readonly t: Translate;
  readonly onSandbox: (sandbox: Sandbox | null) => void;
  readonly onNetwork: (network: Network | null) => void;
  /** Starts a session like another one, in a sandbox that this one can't have. */
  readonly onNewSession: (like: SessionState, sandbox: Sandbox) => void;
  readonly onFailure: (message: string) => void;
}

/**
 * The picker for the sandbox of a session, or of the one to start; nothing if it can't be chosen.
 */
export function sandboxParts(choice: SandboxChoice): SandboxParts | undefined {
  const { session, turns, root, actions, t, onSandbox, onNetwork, onNewSession, onFailure } =
    choice;
  if (actions.setConfig === undefined) {
    return undefined;
  }
  const chosen = session ?? choice;
  const change = (of: ConfigChange) => {
    if (session !== null) {
      actions.setConfig?.(session.session_id, of).catch((error: unknown) => {
        onFailure(messageOf(error));
      });
    }
  };
  const choose = (sandbox: Sandbox | null) => {
    if (session === null) {
      onSandbox(sandbox);
    } else if (sandbox !== null && !suitsSandbox(session, sandbox)) {
      onNewSession(session, sandbox);
    } else {
      change({ sandbox });
    }
  };
  const held = sandboxOfPolicy(chosen.policy) ?? chosen.sandbox ?? 'off';
  return {
    picker: (
      <>
        <SandboxPicker
          policy={chosen.policy}
          policyName={policyName(chosen.policy, t)}
          sandbox={chosen.sandbox}
          onChoose={choose}
          {...{ session, turns, actions, t }}
        />
        {held !== 'off' && (
          <NetworkPicker
            network={chosen.network}
            isNew={session === null}
            note={whenItCounts(session, turns, t)}
            onChoose={network => (session === null ? onNetwork(network) : change({ network }))}
            t={t}
          />
        )}
      </>
    ),
    offer: (
      <SandboxOffer
        policy={chosen.policy}
        sandbox={chosen.sandbox}
        onUse={() => choose('folder')}
        onGone={() => root.current?.querySelector<HTMLElement>('.acp-compose textarea')?.focus()}
      />
    ),
    policyNote: wordsOfStay(session, turns, t),
  };
}
