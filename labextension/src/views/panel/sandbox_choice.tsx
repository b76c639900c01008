import type { RefObject } from 'preact';

import type { SessionView } from '../../state/session_view';
import type { Policy } from '../../wire/policy';
import type { Sandbox } from '../../wire/sandbox';
import type { SessionState } from '../../wire/types';
import type { Actions } from '../actions';
import type { Translate } from '../i18n';
import { messageOf } from '../parts/buttons';
import { policyName } from './composer/pickers';
import type { SandboxParts } from './composer/pickers';
import { SandboxPicker, wordsOfStay } from './composer/sandbox_picker';
import { SandboxOffer } from './sandbox_offer';

interface SandboxChoice {
  readonly session: SessionState | null;
  readonly turns: SessionView['turns'];
  /** The policy of the session to start. */
  readonly policy: Policy;
  /** Its sandbox; `null` leaves it to the server. */
  readonly sandbox: Sandbox | null;
  readonly root: RefObject<HTMLElement | null>;
  readonly actions: Actions;
  readonly t: Translate;
  readonly onSandbox: (sandbox: Sandbox | null) => void;
  readonly onFailure: (message: string) => void;
}

/**
 * The picker for the sandbox of a session, or of the one to start; nothing if it can't be chosen.
 */
export function sandboxParts(choice: SandboxChoice): SandboxParts | undefined {
  const { session, turns, root, actions, t, onSandbox, onFailure } = choice;
  if (actions.setConfig === undefined) {
    return undefined;
  }
  const chosen = session ?? choice;
  const choose = (sandbox: Sandbox | null) => {
    if (session === null) {
      onSandbox(sandbox);
    } else {
      actions.setConfig?.(session.session_id, { sandbox }).catch((error: unknown) => {
        onFailure(messageOf(error));
      });
    }
  };
  return {
    picker: (
      <SandboxPicker
        policy={chosen.policy}
        policyName={policyName(chosen.policy, t)}
        sandbox={chosen.sandbox}
        onChoose={choose}
        {...{ session, turns, actions, t }}
      />
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
