/* Made by `make gen` from the models in acp_jupyter; edit those. */

import type { TurnChanges } from '../packets/change_notes';
import type { AuthMethod } from '../packets/login_models';
import type { Origin } from '../packets/notes';
import type { Rule } from '../packets/permission_notes';
import type { LoginState } from './login_models';

/**
 * Which agent a session talks to.
 */
export interface AgentInfo {
  /**
   * The configured id.
   */
  id: string;
  /**
   * For people; the agent's own title once it has said it.
   */
  name: string;
  version: string;
}
/**
 * A prompt turn.
 */
export interface TurnState {
  /**
   * What it changed in the folder, whoever wrote it; null where nothing was, or is known.
   */
  changes: TurnChanges | null;
  ended_at: number | null;
  failure: TurnFailure | null;
  input_tokens: number | null;
  origin: Origin | null;
  output_tokens: number | null;
  policy: 'ask' | 'read-only' | 'accept-edits' | 'allow-all' | 'deny';
  prompt: string;
  queued_at: number | null;
  /**
   * What is answered in this turn without asking.
   */
  rules: Rule[];
  session_id: string;
  started_at: number | null;
  status: 'queued' | 'running' | 'requires_action' | 'done';
  /**
   * ACP: stop reasons, or ``error``; empty until it is done.
   */
  stop_reason: string;
  tokens: number | null;
  turn_id: string;
  /**
   * Who sent the prompt, and so answers for it; empty where anybody may.
   */
  user: string;
  words: string;
}
/**
 * Why a turn ended in an error.
 */
export interface TurnFailure {
  detail: string;
  message: string;
  reason: string;
}
/**
 * One value of a select option.
 */
export interface ConfigChoice {
  description: string;
  group: string;
  name: string;
  value: string;
}
/**
 * ACP: session config options.
 */
export interface ConfigOption {
  category: string;
  choices: ConfigChoice[];
  current_value: string | boolean;
  description: string;
  id: string;
  name: string;
  type: 'select' | 'boolean';
}
/**
 * What is true of a session as a whole.
 */
export interface SessionState {
  active_turn_id: string | null;
  /**
   * The configured id.
   */
  agent: string;
  agent_info: AgentInfo;
  /**
   * The agent's own id of the session.
   */
  agent_session_id: string;
  /**
   * Ways to log in, as the agent offers them.
   */
  auth_methods: AuthMethod[];
  /**
   * What the agent can do with sessions.
   */
  can: ('load' | 'resume' | 'list' | 'fork' | 'close' | 'delete' | 'logout' | 'http' | 'sse')[];
  commands: SlashCommand[];
  config_options: ConfigOption[];
  created_at: number | null;
  current_mode_id: string;
  /**
   * Absolute; for HTTP clients.
   */
  cwd: string;
  /**
   * The same for people: home shortened to ``~``.
   */
  folder: string;
  /**
   * Why the next message waits before the agent gets it, in words.
   */
  held: string;
  /**
   * Whether the agent remembers all that is shown; ``gap`` where lines of the log are missing.
   */
  history: 'whole' | 'without' | 'gap';
  /**
   * A login that goes on, or has failed.
   */
  login: LoginState | null;
  /**
   * Whether a turn waits for a look at its folder: the prompt is sent after that.
   */
  looking: boolean;
  /**
   * S4.21; for agents without a config option for it.
   */
  model: string;
  modes: Mode[];
  /**
   * Why the agent opens no session before somebody logs in; empty where it does.
   */
  needs_login: string;
  notebook_path: string;
  policy: 'ask' | 'read-only' | 'accept-edits' | 'allow-all' | 'deny';
  /**
   * Who chose it: it allows nothing in what others send; empty where people have no names.
   */
  policy_user: string;
  /**
   * Of ``image``, ``audio``, ``embeddedContext``.
   */
  prompt_capabilities: string[];
  queue: QueuedPrompt[];
  /**
   * Why nothing can be sent from here, in words; empty where it can.
   */
  read_only: string;
  /**
   * Of this session; those of its folder are kept elsewhere.
   */
  rules: Rule[];
  session_id: string;
  /**
   * When the agent last said something, while a turn waits for it too long.
   */
  silent_since: number | null;
  status: 'starting' | 'idle' | 'running' | 'requires_action' | 'stopped';
  /**
   * Whether it is only in its folder: nothing of it runs, and its log was not read.
   */
  stored: boolean;
  title: string;
  /**
   * S4.21: names of the agent's tools, as far as it tells them.
   */
  tools: string[];
  updated_at: number | null;
  usage: Usage | null;
  /**
   * Pending permission requests.
   */
  waiting: number;
}
/**
 * ACP: available commands.
 */
export interface SlashCommand {
  description: string;
  hint: string;
  name: string;
}
/**
 * ACP: session modes.
 */
export interface Mode {
  description: string;
  id: string;
  name: string;
}
/**
 * A prompt that waits for the running turn.
 */
export interface QueuedPrompt {
  text: string;
  turn_id: string;
}
/**
 * ACP: usage_update. Tokens; the cost is cumulative for the session.
 */
export interface Usage {
  cost_amount: number | null;
  cost_currency: string;
  size: number;
  used: number;
}
