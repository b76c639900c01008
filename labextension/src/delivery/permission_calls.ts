import { parseResult } from '../wire/results';
import type { AnswerPermission, Command, RuleEntry } from '../wire/types';

/** How long an answer counts, and why it is a no. */
export type AnswerMore = Pick<AnswerPermission, 'remember' | 'reason'>;

/** What only the user decides: permissions, rules, and in which folders agents run. */
export class PermissionCalls {
  readonly #command: (command: Command) => Promise<unknown>;

  constructor(command: (command: Command) => Promise<unknown>) {
    this.#command = command;
  }

  /** Answers with an option; `null` dismisses the question. */
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
}
