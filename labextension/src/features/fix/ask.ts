import { Failure } from '../../delivery/failure';
import { hasSnapshot } from '../../lab/page/snapshot';
import type { SentPrompt } from '../../lab/proposal/sent_prompt';
import type { FixParts } from './fix_parts';

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
    const sent = { name: 'prompt', session_id: sessionId, prompt, policy: asks } as const;
    return { following, turnId: (await client.run(sent)).turn_id };
  } catch (error) {
    following.dispose();
    throw error;
  }
}
