import { PageConfig } from '@jupyterlab/coreutils';

import type { Client, Following } from '../../delivery/client';
import { Failure } from '../../delivery/failure';
import type { StartsWith, Translate } from '../../views';
import type { SessionSummary } from '../../wire/types';
import { folderOf, ownFolder, serverPath } from '../../lab/page/paths';
import { hasSnapshot } from '../../lab/page/snapshot';
import { isStartedHere, newestOf, readyAgent } from '../../lab/panel/choose_session';

/**
 * Number of turns after which a new session is made: an agent reads its whole session each time.
 */
const MAX_TURNS = 20;

interface Asking {
  readonly client: Client;
  /** The settings of new sessions. */
  readonly startsWith: StartsWith;
  readonly t: Translate;
}

/**
 * Follows the session for the next cells of a notebook.
 *
 * It is separate from the notebook's session, so it doesn't add to the conversation. It has no
 * tools, and its policy rejects every request. Its agent is that of the notebook's session, if
 * there is one.
 */
export async function ownSession(
  { client, startsWith, t }: Asking,
  notebookPath: string,
): Promise<Following> {
  const title = t('Next cells of %1', notebookPath);
  const bound = newestOf(client.sessions, notebookPath);
  const agents = await client.run({ name: 'list_agents' });
  const isReady = agents.some(({ id, status }) => id === bound?.agent_id && status === 'ready');
  const agent =
    bound !== null && isReady && isStartedHere(bound.agent_id)
      ? bound.agent_id
      : readyAgent(agents, startsWith.agent, t);
  const known = (client.sessions ?? []).find(
    session => session.title === title && session.agent_id === agent && isFree(session),
  );
  if (known !== undefined) {
    const following = await followed(client, known.session_id, t);
    const { session, turns } = following.store.view;
    if (session?.policy === 'deny' && turns.size < MAX_TURNS) {
      return following;
    }
    following.dispose();
    // The old session stays, since the user may continue it; with this title it isn't found again.
    await client.run({
      ...{ name: 'set_config', session_id: known.session_id },
      title: t('Earlier next cells of %1', notebookPath),
    });
  }
  const cwd = await folderFor(client, bound, notebookPath, t);
  const { session_id: id } = await client.createSession({
    ...{ agent, cwd, policy: 'deny', tools: false, new: true },
  });
  await client.run({ name: 'set_config', session_id: id, title });
  return followed(client, id, t);
}

function isFree({ notebook_path: path, archived, read_only: why }: SessionSummary): boolean {
  return path === '' && !archived && why === '';
}

/** The folder of the notebook's session, else the notebook's own. */
async function folderFor(
  client: Client,
  bound: SessionSummary | null,
  notebookPath: string,
  t: Translate,
): Promise<string> {
  if (bound === null) {
    return folderOf(notebookPath) || '.';
  }
  const following = await followed(client, bound.session_id, t);
  const { session } = following.store.view;
  following.dispose();
  const root = PageConfig.getOption('serverRoot');
  const folder = session === null ? null : serverPath(root, session, '.');
  return folder ?? (session === null ? '.' : ownFolder(session));
}

async function followed(client: Client, sessionId: string, t: Translate): Promise<Following> {
  const following = client.follow(sessionId);
  await hasSnapshot(following.store);
  if (following.store.view.session === null) {
    following.dispose();
    throw new Failure(t('The session is not loaded yet. Try again in a moment.'), 'not_loaded');
  }
  return following;
}
