/* Made by `make gen` from the models in acp_jupyter; edit those. */

import type { JsonValue } from '../JsonValue';
import type { AllowDownload, CancelLogin, Login, Logout, RestartAgent } from './agent_commands';
import type { GetChanges, ListChangingSessions, RevertTurn } from './change_commands';
import type { AnswerElicitation } from './elicitation_commands';
import type { ListRules, ListTrust, RevokeRule, RevokeTrust, TrustFolder } from './permission_commands';
import type { EditQueued, SendNow } from './queue_commands';
import type { SessionCommand } from './session_commands';
import type { KillTerminal } from './terminal_commands';
import type { GetTraffic, GetTrafficLine } from './traffic_commands';
import type { RecordWish } from '../host/recording/wish';
import type { Origin } from '../packets/notes';

export type Command =
  | ListAgents
  | ListSessions
  | CreateSession
  | GetSession
  | SessionCommand
  | PromptSession
  | Cancel
  | AnswerPermission
  | SetConfig
  | GetItems
  | GetTurn
  | AttachTurn
  | GetRecords
  | GetTranscript
  | GetTraffic
  | GetTrafficLine
  | ImportLog
  | AnswerElicitation
  | EditQueued
  | SendNow
  | KillTerminal
  | GetChanges
  | ListChangingSessions
  | RevertTurn
  | AllowDownload
  | RestartAgent
  | Login
  | CancelLogin
  | Logout
  | ListRules
  | RevokeRule
  | TrustFolder
  | ListTrust
  | RevokeTrust;
/**
 * Answer a permission request, once. ACP: session/request_permission.
 */
export interface AnswerPermission {
  name: 'answer_permission';
  option_id: string | null;
  outcome: 'cancelled' | null;
  /**
   * Why it is rejected; sent to the agent as the next message.
   */
  reason: string;
  /**
   * Answer so without asking from now on, as the request's ``rule`` says.
   */
  remember: ('session' | 'workspace') | null;
  request_id: string;
  session_id: string;
}
/**
 * Ask whether a cell's output is that of this turn's own cell.
 *
 * Only then does a view draw live state and controls for it.
 */
export interface AttachTurn {
  cell_id: string;
  name: 'attach_turn';
  notebook_path: string;
  turn_id: string;
}
/**
 * Stop a turn, running or queued; without ``turn_id`` the running one.
 */
export interface Cancel {
  name: 'cancel';
  session_id: string;
  turn_id: string | null;
}
/**
 * The configured agents and whether they can start.
 */
export interface ListAgents {
  name: 'list_agents';
}
/**
 * The sessions that the caller may see.
 */
export interface ListSessions {
  name: 'list_sessions';
}
/**
 * Start, or find again, a session. ACP: session/new.
 *
 * With ``label`` and ``notebook_path`` the session of that label in that
 * notebook is found again, unless ``new`` is set.
 */
export interface CreateSession {
  agent: string;
  /**
   * Whether somebody who sees the session can be asked about the folder. Then its agent starts
   * when they have said yes; else an untrusted folder is refused.
   */
  ask_trust: boolean;
  /**
   * Absolute or relative to the server's root; default: chosen from the notebook.
   */
  cwd: string | null;
  label: string;
  mode: string | null;
  model: string | null;
  name: 'create_session';
  new: boolean;
  notebook_path: string;
  /**
   * Of the session that is made; a kernel's is that of its own prompts in it.
   */
  policy: ('ask' | 'read-only' | 'accept-edits' | 'allow-all' | 'deny') | null;
  /**
   * Whether to record the session, or to play its record in the agent's place.
   */
  record: RecordWish | null;
  /**
   * When the agent's process starts: before the answer, beside it, or at the first prompt.
   */
  start: 'wait' | 'background' | 'lazy';
  /**
   * Whether the agent is offered tools for the session's notebook and its kernel.
   */
  tools: boolean;
  /**
   * Whether agents may run in the folder; a kernel's word counts for prompts of kernels.
   */
  trust: boolean;
}
/**
 * One session's state.
 */
export interface GetSession {
  name: 'get_session';
  session_id: string;
}
/**
 * Send a prompt; it waits behind a running turn. ACP: session/prompt.
 */
export interface PromptSession {
  /**
   * Rules for this turn, e.g. ``execute:git status *``.
   *
   * @maxItems 100
   */
  allow: string[];
  /**
   * False where nobody sits at the caller (nbclient, papermill).
   */
  can_ask: boolean;
  /**
   * The same; what they match is rejected, whatever else allows it.
   *
   * @maxItems 100
   */
  deny: string[];
  name: 'prompt';
  origin: Origin | null;
  policy: ('ask' | 'read-only' | 'accept-edits' | 'allow-all' | 'deny') | null;
  /**
   * Text, or ACP content blocks.
   */
  prompt:
    | string
    | {
        [k: string]: JsonValue;
      }[];
  session_id: string;
}
/**
 * Change a config option, the mode, the model, the policy or the title.
 */
export interface SetConfig {
  config: {
    [k: string]: string | boolean;
  };
  mode: string | null;
  name: 'set_config';
  policy: ('ask' | 'read-only' | 'accept-edits' | 'allow-all' | 'deny') | null;
  session_id: string;
  title: string | null;
}
/**
 * Items by index, for what lies before the snapshot's window.
 */
export interface GetItems {
  end: number;
  name: 'get_items';
  session_id: string;
  start: number;
}
/**
 * A turn with its items; waits for its end at most ``wait_seconds``.
 *
 * A very long one is told in parts.
 */
export interface GetTurn {
  name: 'get_turn';
  /**
   * For the next part: what the one before calls ``more``.
   */
  start: number | null;
  turn_id: string;
  wait_seconds: number;
}
/**
 * The turns of a notebook, as output bundles keyed by cell.
 */
export interface GetRecords {
  name: 'get_records';
  notebook_path: string;
}
/**
 * A whole transcript for export, without secrets and places on this machine.
 */
export interface GetTranscript {
  format: 'json' | 'markdown' | 'html';
  name: 'get_transcript';
  session_id: string;
  /**
   * Whether Markdown and HTML hold the agent's reasoning.
   */
  thoughts: boolean;
}
/**
 * Make a session of a log; it can be looked at, and has no agent.
 */
export interface ImportLog {
  content: string;
  /**
   * How to read it; by default as it looks.
   */
  dialect: ('traffic' | 'packets' | 'build-mode' | 'claude-cli') | null;
  file_name: string;
  /**
   * Which of its sessions, by the protocol's id; by default the one with most lines.
   */
  log_session: string;
  name: 'import_log';
}
