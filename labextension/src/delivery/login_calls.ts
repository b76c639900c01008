import { parseResult } from '../wire/results';
import type { Command, LoginReply, RegistryReply } from '../wire/types';

/** An agent may start slowly before a login is possible. */
const LOGIN_SECONDS = 180;
/** The server's own limit for the download is shorter. */
const REGISTRY_SECONDS = 40;

/** Commands about agents: login, download, restart. */
export class LoginCalls {
  readonly #command: (command: Command, seconds?: number) => Promise<unknown>;

  constructor(command: (command: Command, seconds?: number) => Promise<unknown>) {
    this.#command = command;
  }

  async login(sessionId: string, methodId: string): Promise<LoginReply> {
    const command = { name: 'login', session_id: sessionId, method_id: methodId } as const;
    return parseResult('login', await this.#command(command, LOGIN_SECONDS));
  }

  async cancelLogin(sessionId: string): Promise<void> {
    await this.#command({ name: 'cancel_login', session_id: sessionId });
  }

  /** Resolves to the result, in words. */
  async logout(sessionId: string): Promise<string> {
    const result = await this.#command({ name: 'logout', session_id: sessionId }, LOGIN_SECONDS);
    return parseResult('logout', result).message;
  }

  async allowDownload(agent: string, packageShown: string, run: string): Promise<void> {
    await this.#command({ name: 'allow_download', agent, package: packageShown, run });
  }

  /** The list of the public registry in use. */
  async registry(): Promise<RegistryReply> {
    return parseResult('get_registry', await this.#command({ name: 'get_registry' }));
  }

  /** Downloads a newer list, if there is one. */
  async updateRegistry(): Promise<RegistryReply> {
    const result = await this.#command({ name: 'update_registry' }, REGISTRY_SECONDS);
    return parseResult('update_registry', result);
  }

  /** Resolves to the result, in words. */
  async restartAgent(agent: string): Promise<string> {
    const result = await this.#command({ name: 'restart_agent', agent });
    return parseResult('restart_agent', result).message;
  }
}
