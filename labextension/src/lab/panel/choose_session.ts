import type { Client } from '../../delivery/client';
import { Failure } from '../../delivery/failure';
import { IMPORTED, OUTSIDE } from '../../state/session_view';
import type { StartsWith, Translate } from '../../views';
import type { AgentEntry, SessionState, SessionSummary } from '../../wire/types';

/**
 * The newest session of a notebook; only one that accepts prompts, unless `any` is set.
 *
 * A variant of a prompt only if there is nothing else, since cells don't continue it.
 */
export function newestOf(
  sessions: readonly SessionSummary[] | null,
  path: string,
  any = false,
): SessionSummary | null {
  const own = (sessions ?? []).filter(
    session => session.notebook_path === path && (any || takesPrompts(session)),
  );
  const lasting = own.filter(session => !session.is_variant);
  return (lasting.length > 0 ? lasting : own).reduce<SessionSummary | null>(
    (best, one) => ((best?.updated_at ?? 0) > (one.updated_at ?? 0) ? best : one),
    null,
  );
}

/**
 * Id of the agent of a new session: the wanted one if it is ready, else the first that is.
 *
 * @throws Failure - if none is.
 */
export function readyAgent(
  agents: readonly AgentEntry[] | null,
  wanted: string,
  t: Translate,
): string {
  const ready = (agents ?? []).filter(({ status }) => status === 'ready');
  const agent = ready.find(({ id }) => id === wanted) ?? ready[0];
  if (agent === undefined) {
    throw new Failure(t('No agent is ready yet.'), 'no_agent');
  }
  return agent.id;
}

/** Id of the session that messages about a notebook go to; without one it is created. */
export async function sessionFor(
  path: string,
  shown: SessionState | null,
  client: Client,
  { agent: wanted, policy, sandbox }: StartsWith,
  t: Translate,
): Promise<string> {
  const known = [shown, newestOf(client.sessions, path)].find(
    one => one?.notebook_path === path && takesPrompts(one),
  );
  if (known) {
    return known.session_id;
  }
  const agent = readyAgent(
    await client.run({ name: 'list_agents', notebook_path: path }),
    wanted,
    t,
  );
  const choice = { agent, policy, sandbox, notebook_path: path, new: true };
  return (await client.createSession(choice)).session_id;
}

function takesPrompts(session: SessionSummary | SessionState): boolean {
  const agent = 'agent' in session ? session.agent : session.agent_id;
  return session.read_only === '' && !session.archived && isStartedHere(agent);
}

/** Whether an agent can be started and prompted from here. */
export function isStartedHere(agent: string): boolean {
  return agent !== '' && agent !== IMPORTED && agent !== OUTSIDE;
}
