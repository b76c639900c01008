import { parseResult } from '../wire/results';
import type {
  AgentSession,
  AgentSessions,
  AnswerPermission,
  Command,
  FindStale,
  FoundSessions,
  GetTraffic,
  NewOutsideKey,
  OutsideKeyEntry,
  PromptSession,
  RewindReply,
  RuleEntry,
  StaleCell,
  TrafficDetail,
  TrafficPage,
} from '../wire/types';

/** An agent may be slow to start; the host has its own, shorter limit. */
const AGENT_SECONDS = 180;

/** Longest wait for a part of a log. */
const LOG_SECONDS = 30;

/** Commands about whole sessions, their traffic, and an agent's own sessions. */
export class SessionCalls {
  readonly #command: (command: Command, seconds: number) => Promise<unknown>;

  constructor(command: (command: Command, seconds: number) => Promise<unknown>) {
    this.#command = command;
  }

  /** Runs a command without a result. */
  async run(command: Command): Promise<void> {
    await this.#command(command, AGENT_SECONDS);
  }

  /** Asks the agent to end one tool call; resolves when it agrees. */
  async cancelToolCall(sessionId: string, toolCallId: string): Promise<void> {
    await this.run({ name: 'cancel_tool_call', session_id: sessionId, tool_call_id: toolCallId });
  }

  /** Asks to run once the command of a call that a wall of the sandbox stopped. */
  async runOutside(sessionId: string, toolCallId: string): Promise<void> {
    await this.run({ name: 'run_outside', session_id: sessionId, tool_call_id: toolCallId });
  }

  /** Sends a prompt and resolves to its turn's id; the policy is by default the session's. */
  async prompt(
    sessionId: string,
    prompt: PromptSession['prompt'],
    policy: PromptSession['policy'] = null,
  ): Promise<string> {
    const command = {
      ...({ name: 'prompt', session_id: sessionId, prompt, policy } as const),
      ...{ sandbox: null, origin: null, can_ask: true, allow: [], deny: [] },
    };
    return parseResult('prompt', await this.#command(command, LOG_SECONDS)).turn_id;
  }

  async fork(sessionId: string): Promise<string> {
    const result = await this.#command(
      { name: 'fork_session', session_id: sessionId },
      AGENT_SECONDS,
    );
    return parseResult('fork_session', result).session_id;
  }

  /**
   * Goes back to before a turn: a new session continues from there.
   *
   * @param also - Later turns of other sessions; their changes are reverted, too.
   */
  async rewind(
    sessionId: string,
    turnId: string,
    files: boolean,
    also: readonly string[] = [],
  ): Promise<RewindReply> {
    const command: Command = {
      name: 'rewind_session',
      session_id: sessionId,
      turn_id: turnId,
      files,
      also: [...also],
    };
    return parseResult('rewind_session', await this.#command(command, AGENT_SECONDS));
  }

  /** Continues in the session that another was made from. */
  async undoRewind(sessionId: string): Promise<RewindReply> {
    const command = { name: 'undo_rewind', session_id: sessionId, files: true } as const;
    return parseResult('undo_rewind', await this.#command(command, AGENT_SECONDS));
  }

  /** Returns why the agent's copy was not archived or unarchived too; empty if it was. */
  async archive(sessionId: string, archived: boolean): Promise<string> {
    const name = archived ? 'archive_session' : 'unarchive_session';
    const result = await this.#command({ name, session_id: sessionId }, AGENT_SECONDS);
    return parseResult(name, result).message;
  }

  async listOfAgent(agent: string, cursor: string, archived: boolean): Promise<AgentSessions> {
    const command = { name: 'list_agent_sessions', agent, cwd: null, cursor, archived } as const;
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

  /** The stale cells of a notebook. */
  async findStale(notebook: Omit<FindStale, 'name'>): Promise<StaleCell[]> {
    const result = await this.#command({ ...notebook, name: 'find_stale' }, LOG_SECONDS);
    return parseResult('find_stale', result).cells;
  }

  /** Searches the text of all sessions, for a limited time. */
  async search(text: string, cursor: string): Promise<FoundSessions> {
    const command = { name: 'search_sessions', text, cursor } as const;
    return parseResult('search_sessions', await this.#command(command, LOG_SECONDS));
  }

  /** Lines of a session's traffic log; by default the newest. */
  async traffic(sessionId: string, query: Partial<GetTraffic>): Promise<TrafficPage> {
    const command = {
      after: null,
      before: null,
      direction: null,
      limit: 200,
      method: '',
      text: '',
      gather: false,
      wait_seconds: 0,
      ...query,
      name: 'get_traffic',
      session_id: sessionId,
    } as const;
    return parseResult('get_traffic', await this.#command(command, LOG_SECONDS));
  }

  /** One line of the traffic log in full, or the text of the chunks from there to `end`. */
  async trafficLine(sessionId: string, place: number, end: number | null): Promise<TrafficDetail> {
    const command = { name: 'get_traffic_line', session_id: sessionId, place, end } as const;
    return parseResult('get_traffic_line', await this.#command(command, LOG_SECONDS));
  }
}

/** How long an answer is remembered, and why it rejects. */
export type AnswerMore = Pick<AnswerPermission, 'remember' | 'wider_rule' | 'reason'>;

/** Commands about permission requests, rules, the trust in folders, and keys of outside agents. */
export class PermissionCalls {
  readonly #command: (command: Command) => Promise<unknown>;

  constructor(command: (command: Command) => Promise<unknown>) {
    this.#command = command;
  }

  /** Answers a permission request with an option; `null` dismisses it. */
  async answer(
    sessionId: string,
    requestId: string,
    optionId: string | null,
    more?: AnswerMore,
  ): Promise<void> {
    await this.#command({
      name: 'answer_permission',
      session_id: sessionId,
      request_id: requestId,
      option_id: optionId,
      outcome: optionId === null ? 'cancelled' : null,
      remember: more?.remember ?? null,
      wider_rule: more?.wider_rule ?? '',
      reason: more?.reason ?? '',
    });
  }

  /** Answers whether agents may run in a session's folder. */
  async trust(sessionId: string, requestId: string, trust: boolean): Promise<void> {
    await this.#command({
      name: 'trust_folder',
      folder: '',
      session_id: sessionId,
      request_id: requestId,
      trust,
    });
  }

  /** The remembered rules of a session and its folder. */
  async rules(sessionId: string): Promise<RuleEntry[]> {
    const result = await this.#command({ name: 'list_rules', session_id: sessionId });
    return parseResult('list_rules', result);
  }

  async revoke(ruleId: string): Promise<void> {
    await this.#command({ name: 'revoke_rule', rule_id: ruleId });
  }

  /** The keys for agents outside. */
  async keys(): Promise<OutsideKeyEntry[]> {
    const result = await this.#command({ name: 'list_outside_keys' });
    return parseResult('list_outside_keys', result);
  }

  async makeKey(path: string, policy: OutsideKeyEntry['policy']): Promise<NewOutsideKey> {
    const command = { name: 'make_outside_key', notebook_path: path, policy } as const;
    return parseResult('make_outside_key', await this.#command(command));
  }

  async revokeKey(keyId: string): Promise<void> {
    await this.#command({ name: 'revoke_outside_key', key_id: keyId });
  }
}
