import type { Client, Following } from '../../delivery/client';
import { Failure } from '../../delivery/failure';
import type { Translate } from '../../views';
import { hasSnapshot } from '../page/snapshot';
import type { FixParts } from '../../features/fix/fix_parts';
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

/** Sends a prompt to the notebook's session, and follows the session. */
export async function ask(
  { client, panel, notebook, t }: FixParts,
  prompt: string,
): Promise<SentPrompt> {
  const sessionId = await panel.sessionFor(notebook.context.localPath);
  const following = client.follow(sessionId);
  try {
    await hasSnapshot(following.store);
    const policy = following.store.view.session?.policy;
    if (policy === undefined) {
      throw new Failure(t('The session is not loaded yet. Try again in a moment.'), 'not_loaded');
    }
    // Policies that change nothing stay. The others become `ask`: the cell changes only on the
    // user's key.
    const asks = policy === 'deny' || policy === 'read-only' ? null : 'ask';
    return { following, turnId: await client.send(sessionId, prompt, asks) };
  } catch (error) {
    following.dispose();
    throw error;
  }
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
      await client.cancel(store.sessionId, turnId);
    } else {
      await client.answerPermission(store.sessionId, request.requestId, request.reject);
    }
  } catch (error) {
    // The turn may have ended meanwhile.
    console.warn(error);
  }
}
