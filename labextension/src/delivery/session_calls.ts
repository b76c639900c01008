import { parseResult } from '../wire/results';
import type {
  AgentSession,
  AgentSessions,
  Command,
  GetTraffic,
  TrafficDetail,
  TrafficPage,
} from '../wire/types';

/** An agent may be slow to start; the host has its own, shorter limit. */
const AGENT_SECONDS = 180;
/** Longest wait for a part of a log. */
const LOG_SECONDS = 30;

/** Sessions as wholes: taken up again, forked, removed; their traffic; and what only agents know. */
export class SessionCalls {
  readonly #command: (command: Command, seconds: number) => Promise<unknown>;

  constructor(command: (command: Command, seconds: number) => Promise<unknown>) {
    this.#command = command;
  }

  async resume(sessionId: string): Promise<void> {
    await this.#command({ name: 'resume_session', session_id: sessionId }, AGENT_SECONDS);
  }

  async fork(sessionId: string): Promise<string> {
    const result = await this.#command(
      { name: 'fork_session', session_id: sessionId },
      AGENT_SECONDS,
    );
    return parseResult('fork_session', result).session_id;
  }

  async remove(sessionId: string): Promise<void> {
    await this.#command({ name: 'delete_session', session_id: sessionId }, AGENT_SECONDS);
  }

  async listOfAgent(agent: string, cursor: string): Promise<AgentSessions> {
    const command = { name: 'list_agent_sessions', agent, cwd: null, cursor } as const;
    return parseResult('list_agent_sessions', await this.#command(command, AGENT_SECONDS));
  }

  async openOfAgent(agent: string, session: AgentSession, trust: boolean): Promise<string> {
    const { agent_session_id, title, cwd } = session;
    const result = await this.#command(
      {
        name: 'open_agent_session',
        agent,
        agent_session_id,
        cwd: cwd === '' ? null : cwd,
        title,
        trust,
      },
      AGENT_SECONDS,
    );
    return parseResult('open_agent_session', result).session_id;
  }

  /** Lines of a session's traffic; by default the newest. */
  async traffic(sessionId: string, query: Partial<GetTraffic>): Promise<TrafficPage> {
    const command = {
      after: null,
      before: null,
      direction: null,
      limit: 200,
      method: '',
      text: '',
      ...query,
      name: 'get_traffic',
      session_id: sessionId,
    } as const;
    return parseResult('get_traffic', await this.#command(command, LOG_SECONDS));
  }

  /** One of them, written out. */
  async trafficLine(sessionId: string, place: number): Promise<TrafficDetail> {
    const command = { name: 'get_traffic_line', session_id: sessionId, place } as const;
    return parseResult('get_traffic_line', await this.#command(command, LOG_SECONDS));
  }
}
