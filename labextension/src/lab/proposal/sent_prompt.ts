import type { Client, Following } from '../../delivery/client';
import type { Translate } from '../../views';
import { commandActions } from '../../views/command_actions';
import type { Request } from './outcome';

/** A prompt that was sent, and its session. */
export interface SentPrompt {
  readonly following: Following;
  readonly turnId: string;
}

/** Name of the agent, for the user. */
export function agentOf(asked: SentPrompt | null, t: Translate): string {
  const name = asked?.following.store.view.session?.agent_info.name ?? '';
  return name === '' ? t('The agent') : name;
}

/** Declines the turn's proposal, or stops the turn; does nothing if it is done. */
export async function withdraw(
  client: Client,
  { following: { store }, turnId }: SentPrompt,
  request: Request | null,
): Promise<void> {
  if (store.view.turns.get(turnId)?.status === 'done') {
    return;
  }
  try {
    if (request === null) {
      await client.run({ name: 'cancel', session_id: store.sessionId, turn_id: turnId });
    } else {
      await commandActions(client.run).answerPermission(
        store.sessionId,
        request.requestId,
        request.reject,
      );
    }
  } catch (error) {
    // The turn may have ended meanwhile.
    console.warn(error);
  }
}
