/* Made by `make gen` from the models in acp_jupyter; edit those. */

import type { Elicitation } from './elicitation_items';
import type { ContentBlockItem, ToolCall } from './tool_items';
import type { TrustRequest } from './trust_items';

export type Item =
  | UserMessage
  | AgentMessage
  | Thought
  | ContentBlockItem
  | ToolCall
  | Elicitation
  | TrustRequest
  | Plan
  | Artifact
  | FileWriteItem
  | Notice
  | ErrorItem
  | TurnEnd;
/**
 * Text of the agent, Markdown.
 */
export interface AgentMessage {
  /**
   * Unique in its session.
   */
  id: string;
  kind: 'agent_message';
  /**
   * Whether more text may follow.
   */
  open: boolean;
  /**
   * Id of the tool call item, of the same turn and before this one, whose subagent made it.
   */
  parent_id: string;
  text: string;
  /**
   * The prompt turn it belongs to; null for what came between turns.
   */
  turn_id: string | null;
}
/**
 * Something that was made and is worth opening (S1.41, S3.23, C28).
 */
export interface Artifact {
  artifact_id: string;
  download_url: string;
  /**
   * Unique in its session.
   */
  id: string;
  kind: 'artifact';
  mime_type: string;
  name: string;
  /**
   * Relative to the session's folder where it lies inside it.
   */
  path: string;
  /**
   * S3.25: filled in; empty where there is no preview.
   */
  preview_url: string;
  /**
   * For people, e.g. ``4.1 kB``.
   */
  size: string;
  size_bytes: number | null;
  /**
   * The prompt turn it belongs to; null for what came between turns.
   */
  turn_id: string | null;
  type:
    'web_app' | 'markdown' | 'image' | 'csv' | 'excel' | 'pptx' | 'docx' | 'pdf' | 'code' | 'other';
  /**
   * For people, e.g. ``CSV`` (S3.24).
   */
  type_name: string;
}
/**
 * What a prompt carried beside its text.
 */
export interface Attachment {
  mime_type: string;
  name: string;
  type: 'image' | 'audio' | 'resource_link' | 'resource';
  uri: string;
}
/**
 * What went wrong, what it means, what to do.
 */
export interface ErrorItem {
  code: string;
  /**
   * Further lines, e.g. the last of the agent's stderr.
   */
  detail: string;
  /**
   * Unique in its session.
   */
  id: string;
  kind: 'error';
  message: string;
  reason: string;
  /**
   * The prompt turn it belongs to; null for what came between turns.
   */
  turn_id: string | null;
}
/**
 * A prompt, as it was sent.
 */
export interface UserMessage {
  at: number | null;
  attachments: Attachment[];
  /**
   * Unique in its session.
   */
  id: string;
  kind: 'user_message';
  text: string;
  /**
   * The prompt turn it belongs to; null for what came between turns.
   */
  turn_id: string | null;
}
/**
 * Reasoning of the agent, Markdown; or a named step (S3.4).
 */
export interface Thought {
  ended_at: number | null;
  /**
   * Unique in its session.
   */
  id: string;
  kind: 'thought';
  open: boolean;
  /**
   * Id of the tool call item, of the same turn and before this one, whose subagent made it.
   */
  parent_id: string;
  started_at: number | null;
  text: string;
  /**
   * Of a step.
   */
  title: string;
  /**
   * The prompt turn it belongs to; null for what came between turns.
   */
  turn_id: string | null;
}
/**
 * The agent's plan; every update replaces it whole.
 */
export interface Plan {
  entries: PlanEntry[];
  /**
   * Unique in its session.
   */
  id: string;
  kind: 'plan';
  plan_id: string;
  /**
   * Plans that come as Markdown.
   */
  text: string;
  /**
   * The prompt turn it belongs to; null for what came between turns.
   */
  turn_id: string | null;
}
/**
 * One step of a plan.
 */
export interface PlanEntry {
  content: string;
  priority: 'high' | 'medium' | 'low';
  status: 'pending' | 'in_progress' | 'completed';
}
/**
 * A file that was written (S3.22).
 */
export interface FileWriteItem {
  /**
   * Unique in its session.
   */
  id: string;
  kind: 'file_write';
  path: string;
  /**
   * For people.
   */
  size: string;
  size_bytes: number | null;
  /**
   * E.g. ``Created``.
   */
  title: string;
  /**
   * The prompt turn it belongs to; null for what came between turns.
   */
  turn_id: string | null;
}
/**
 * Something worth a line that is no error.
 */
export interface Notice {
  /**
   * Lines for those who open it.
   */
  detail: string;
  /**
   * Unique in its session.
   */
  id: string;
  kind: 'notice';
  severity: 'info' | 'warning' | 'error';
  text: string;
  title: string;
  /**
   * The prompt turn it belongs to; null for what came between turns.
   */
  turn_id: string | null;
}
/**
 * The end of a prompt turn.
 */
export interface TurnEnd {
  duration_seconds: number | null;
  /**
   * Unique in its session.
   */
  id: string;
  input_tokens: number | null;
  kind: 'turn_end';
  output_tokens: number | null;
  /**
   * ACP: stop reasons, or ``error``.
   */
  stop_reason: string;
  /**
   * S3.18: what the agent says it did.
   */
  summary: string;
  /**
   * The prompt turn it belongs to; null for what came between turns.
   */
  turn_id: string | null;
  /**
   * Empty for an ordinary end.
   */
  words: string;
}
