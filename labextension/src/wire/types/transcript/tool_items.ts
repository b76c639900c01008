/* Made by `make gen` from the models in acp_jupyter; edit those. */

import type { Location } from '../packets/models';
import type { SearchHit } from '../packets/search_hits';
import type { TodoItem } from '../packets/tool_inputs';
import type { Diagnostic } from '../packets/tool_outputs';
import type { TerminalView } from './terminal_items';

/**
 * A content block that is not text: image, audio, resource, resource link.
 */
export interface ContentBlockItem {
  /**
   * Base64 of images and audio.
   */
  data: string;
  /**
   * Unique in its session.
   */
  id: string;
  kind: 'content_block';
  mime_type: string;
  name: string;
  /**
   * Id of the tool call item, of the same turn and before this one, whose subagent made it.
   */
  parent_id: string;
  size: number | null;
  text: string;
  /**
   * The prompt turn it belongs to; null for what came between turns.
   */
  turn_id: string | null;
  type: 'image' | 'audio' | 'resource_link' | 'resource' | 'other';
  uri: string;
}
/**
 * A field of a tool's input that the card does not show in another way.
 */
export interface Detail {
  name: string;
  value: string;
}
/**
 * One file change as the agent reported it.
 */
export interface Diff {
  /**
   * Lines added; null where the file is too large to compare here.
   */
  added: number | null;
  is_new_file: boolean;
  new_line: number | null;
  new_text: string;
  /**
   * Line of the file that the texts begin at; null where only a part is known, not its place.
   */
  old_line: number | null;
  /**
   * Null for a new file.
   */
  old_text: string | null;
  path: string;
  removed: number | null;
}
/**
 * A tool call, joined from everything that named its id.
 */
export interface ToolCall {
  blocks: ContentBlockItem[];
  command: string;
  /**
   * How many a search found, of which ``files`` or ``hits`` may be a part.
   */
  count: number | null;
  /**
   * Display description, e.g. a path or what a command is for.
   */
  description: string;
  /**
   * S1.25.
   */
  diagnostics: Diagnostic[];
  diffs: Diff[];
  ended_at: number | null;
  exit_code: number | null;
  /**
   * What a search found (S1.20), relative; empty when it found nothing (S1.21).
   */
  files: string[] | null;
  /**
   * Number of the output's first line, where it was numbered (S1.23).
   */
  first_line: number | null;
  /**
   * The lines of those files that it found; null for a search for files.
   */
  hits: SearchHit[] | null;
  /**
   * Unique in its session.
   */
  id: string;
  /**
   * S5.42; null where nothing says so.
   */
  is_new_file: boolean | null;
  kind: 'tool_call';
  /**
   * S1.36; a location without a line is the file's top.
   */
  locations: Location[];
  /**
   * What is being done right now (S3.10).
   */
  message: string;
  /**
   * Text output, without wrappers and line numbers; grows by ``text_appended``.
   */
  output: string;
  /**
   * Id of the tool call item, of the same turn and before this one, whose subagent made it.
   */
  parent_id: string;
  path: string;
  permission: Permission | null;
  /**
   * From 0 to 1 (S3.10).
   */
  progress: number | null;
  raw_input: unknown;
  raw_output: unknown;
  /**
   * What a search says beside, e.g. ``No files found``.
   */
  remarks: string[];
  started_at: number | null;
  status: 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled';
  /**
   * S1.18: whose work it is, e.g. ``Explore``.
   */
  subagent_type: string;
  /**
   * The newest terminal that it shows; what that puts out is the call's ``output``.
   */
  terminal: TerminalView | null;
  /**
   * Display title, e.g. ``Editing file``.
   */
  title: string;
  /**
   * S5.32, S5.33: the list, replaced whole; such a call is drawn as that list.
   */
  todos: TodoItem[] | null;
  tool_call_id: string;
  /**
   * The protocol's ten kinds.
   */
  tool_kind:
    | 'read'
    | 'edit'
    | 'delete'
    | 'move'
    | 'search'
    | 'execute'
    | 'think'
    | 'fetch'
    | 'switch_mode'
    | 'other';
  /**
   * As the agent spells it.
   */
  tool_name: string;
  /**
   * Whether the tool says that its output is not all (S1.20).
   */
  truncated: boolean;
  /**
   * The prompt turn it belongs to; null for what came between turns.
   */
  turn_id: string | null;
  /**
   * S5.6.
   */
  ui_kind: 'search' | 'read' | 'execute' | 'edit' | 'task' | 'other';
}
/**
 * A permission request, as a state of its tool call.
 */
export interface Permission {
  /**
   * Which user has answered, where that is worth telling; in no record.
   */
  answered_by: string;
  asked_at: number | null;
  /**
   * Name of the chosen option.
   */
  chosen: string;
  /**
   * What else the agent sent that may change what is done: cut, and never silently.
   */
  details: Detail[];
  /**
   * Where a command would run; empty for the session's folder.
   */
  folder: string;
  options: PermissionOption[];
  /**
   * What became of it, in words.
   */
  outcome: string;
  reason: string;
  /**
   * What an answer names; unique in its session.
   */
  request_id: string;
  /**
   * What remembering the answer would cover, e.g. ``execute:git status``; empty for nothing.
   */
  rule: string;
  state: 'pending' | 'allowed' | 'rejected' | 'answered' | 'cancelled' | 'expired';
  /**
   * Who wants what, e.g. ``Demo wants to edit a file``.
   */
  title: string;
}
/**
 * One answer that the agent offers.
 */
export interface PermissionOption {
  name: string;
  option_id: string;
  /**
   * As the agent sent it; kinds that are not of the protocol are plain buttons.
   */
  option_kind: string;
}
