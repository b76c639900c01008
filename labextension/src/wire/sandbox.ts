import type { Policy } from './policy';
import type { SessionState } from './types';

/** Limits what an agent's processes can reach, whatever they ask for. */
export type Sandbox = SessionState['sandbox'];

/** What of the network an agent in a sandbox reaches. */
export type Network = SessionState['network'];

export const NETWORKS: readonly Network[] = ['all', 'hosts', 'none'];

/** All sandboxes; what restricts an agent least comes first. */
export const SANDBOXES: readonly Sandbox[] = ['off', 'folder', 'copy', 'read-only'];

/** The sandbox of that name; `off` if there is none. */
export function sandboxOf(name: unknown): Sandbox {
  return SANDBOXES.find(sandbox => sandbox === name) ?? 'off';
}

/** The sandboxes of a list with commas between them, as the page's configuration has it. */
export function sandboxesOf(list: string): readonly Sandbox[] {
  const names = list.split(',');
  const found = SANDBOXES.filter(sandbox => names.includes(sandbox));
  return found.length === 0 ? SANDBOXES : found;
}

/** The sandbox that a setting names; if none, `null`, which leaves it to the server. */
export function chosenSandbox(setting: unknown, allowed: readonly Sandbox[]): Sandbox | null {
  return allowed.find(sandbox => sandbox === setting) ?? null;
}

/** The sandbox that a policy implies, whatever was chosen; `null` for none. */
export function sandboxOfPolicy(policy: Policy): Sandbox | null {
  return policy === 'read-only' || policy === 'deny' ? 'read-only' : null;
}

/** Whether a session can have a sandbox: it stays in its copy of the folder, or out of one. */
export function suitsSandbox(session: SessionState | null, sandbox: Sandbox): boolean {
  return session === null || (sandbox === 'copy') === (session.copied_folder !== '');
}
