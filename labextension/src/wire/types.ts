/* eslint-disable */
/* Made by `make gen` from the models in acp_jupyter; edit those. */

export type JsonValue = unknown;
export type ClientFrame =
  SubscribeFrame | UnsubscribeFrame | AckFrame | CommandFrame | DocumentsFrame | AnswerFrame;
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
export type SessionCommand =
  CloseSession | DeleteSession | ForkSession | ResumeSession | ListAgentSessions | OpenAgentSession;
export type FieldValue = string | boolean | number | string[];
export type Event =
  | Snapshot
  | ItemAdded
  | TextAppended
  | ItemClosed
  | ItemReplaced
  | SessionChanged
  | TurnStarted
  | TurnEnded;
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
export type ServerFrame =
  HelloFrame | SessionsFrame | EventsFrame | ReplyFrame | AskFrame | ErrorFrame;

/**
 * What the page has drawn; the flush slows while it lags.
 */
export interface AckFrame {
  seq: number;
  session_id: string;
  type: 'ack';
}
/**
 * Result of ``list_agents``, one agent.
 */
export interface AgentEntry {
  detail: string;
  id: string;
  /**
   * The command that installs it, to be typed in a terminal.
   */
  install: string;
  /**
   * Whether it is known from the public registry alone.
   */
  listed: boolean;
  /**
   * Ways to log in, where it needs that.
   */
  methods: AuthMethod[];
  name: string;
  /**
   * What may be downloaded after a click: a package with its version.
   */
  package: string;
  /**
   * The command that will then be run.
   */
  run: string;
  status: 'ready' | 'needs_login' | 'not_installed' | 'broken';
  website: string;
}
/**
 * ACP: auth methods of the answer to ``initialize``.
 */
export interface AuthMethod {
  description: string;
  id: string;
  /**
   * Who logs in: the agent itself, its own program in a terminal, or a variable.
   */
  kind: 'agent' | 'terminal' | 'env_var' | 'other';
  /**
   * Where a key is to be had.
   */
  link: string;
  name: string;
  variables: AuthVariable[];
}
/**
 * A variable that an agent reads a secret from. Its value is never asked for here.
 */
export interface AuthVariable {
  label: string;
  name: string;
  optional: boolean;
  secret: boolean;
}
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
  text: string;
  /**
   * The prompt turn it belongs to; null for what came between turns.
   */
  turn_id: string | null;
}
/**
 * A session that an agent keeps.
 */
export interface AgentSession {
  agent_session_id: string;
  cwd: string;
  /**
   * Our id of it, where it is known here.
   */
  session_id: string;
  title: string;
  /**
   * As the agent writes it.
   */
  updated_at: string;
}
/**
 * Result of ``list_agent_sessions``.
 */
export interface AgentSessions {
  next_cursor: string;
  sessions: AgentSession[];
}
/**
 * Let a package be downloaded and run, as it was shown.
 */
export interface AllowDownload {
  agent: string;
  name: 'allow_download';
  /**
   * With its version. Another one than is offered now is refused.
   */
  package: string;
}
/**
 * Answer a question of the agent, once. ACP: elicitation/create.
 */
export interface AnswerElicitation {
  action: 'accept' | 'decline' | 'cancel';
  /**
   * Of an accepted form, by field name.
   */
  content: {
    [k: string]: JsonValue;
  };
  name: 'answer_elicitation';
  request_id: string;
  session_id: string;
}
/**
 * The answer to an ask: a result, or why not.
 */
export interface AnswerFrame {
  error: string | null;
  id: number;
  text: string | null;
  type: 'answer';
}
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
 * A question to the page about an open document; answered by an answer.
 */
export interface AskFrame {
  deadline_seconds: number;
  id: number;
  op: 'read_document';
  path: string;
  type: 'ask';
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
 * Result of ``attach_turn``.
 */
export interface AttachedTurn {
  /**
   * Index of the turn's first item in the whole transcript.
   */
  first_index: number;
  session_id: string;
  turn: TurnState;
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
  words: string;
}
/**
 * What a turn changed in its folder, whoever wrote it.
 */
export interface TurnChanges {
  /**
   * Names what is kept of the folder; empty where nothing is.
   */
  checkpoint: string;
  files: ChangedFile[];
  /**
   * How many more there are.
   */
  left_out: number;
  made_folders: string[];
  revertible: boolean;
  /**
   * What is to be known of it, e.g. why it can't be taken back.
   */
  words: string;
}
/**
 * What became of one file in a turn.
 */
export interface ChangedFile {
  /**
   * Lines; null where they were not counted.
   */
  added: number | null;
  binary: boolean;
  /**
   * ``type``: a file became a link, or a link a file.
   */
  change: 'added' | 'modified' | 'deleted' | 'renamed' | 'type';
  /**
   * Whether it can be taken back.
   */
  kept: boolean;
  /**
   * Its permission bits before the turn.
   */
  old_mode: number | null;
  /**
   * Where it was, if it was renamed.
   */
  old_path: string;
  /**
   * Relative to the session's folder, with forward slashes.
   */
  path: string;
  removed: number | null;
  reverted: boolean;
  /**
   * What was taken back of it, in their order; a file that is taken back keeps them for Undo.
   */
  reverted_hunks: Hunk[];
  /**
   * In bytes: after the turn, or before it if the file is gone.
   */
  size: number | null;
  /**
   * Why not.
   */
  words: string;
}
/**
 * One change in a file: lines before the turn, and what the turn made of them.
 *
 * Lines are counted from 0, and the end is not one of them: an empty range is a place.
 */
export interface Hunk {
  new_end: number;
  new_start: number;
  old_end: number;
  old_start: number;
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
 * Which notebook cell a prompt came from.
 */
export interface Origin {
  cell_id: string;
  kernel_id: string;
  /**
   * Relative to the server's root, with forward slashes.
   */
  notebook_path: string;
  /**
   * The cell's whole source when it ran.
   */
  source: string;
}
/**
 * What is answered without asking again.
 */
export interface Rule {
  created_at: number;
  effect: 'allow' | 'deny';
  id: string;
  /**
   * Which commands, paths or addresses; empty for all of the kind.
   */
  pattern: string;
  /**
   * How long it counts: for one turn, one session, or for all sessions in one folder.
   */
  scope: 'turn' | 'session' | 'workspace';
  tool_kind: 'read' | 'search' | 'edit' | 'delete' | 'move' | 'execute' | 'fetch';
  /**
   * The same for people.
   */
  words: string;
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
 * A Jupyter MIME bundle.
 */
export interface Bundle {
  data: {
    [k: string]: JsonValue;
  };
  metadata: {
    [k: string]: JsonValue;
  };
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
 * End a login that goes on.
 */
export interface CancelLogin {
  name: 'cancel_login';
  session_id: string;
}
/**
 * Result of ``get_changes``.
 */
export interface ChangesReply {
  files: FileTexts[];
  /**
   * Whether the folder was kept; if not, only what was seen to change is in ``files``.
   */
  known: boolean;
  patch: string | null;
  revertible: boolean;
  turn_id: string;
  words: string;
}
/**
 * A changed file with its text.
 */
export interface FileTexts {
  /**
   * Lines; null where they were not counted.
   */
  added: number | null;
  binary: boolean;
  /**
   * ``type``: a file became a link, or a link a file.
   */
  change: 'added' | 'modified' | 'deleted' | 'renamed' | 'type';
  /**
   * Whether it can be taken back.
   */
  kept: boolean;
  new_text: string | null;
  /**
   * Its permission bits before the turn.
   */
  old_mode: number | null;
  /**
   * Where it was, if it was renamed.
   */
  old_path: string;
  /**
   * Null for a new file, and for one that is no text or too large.
   */
  old_text: string | null;
  /**
   * Relative to the session's folder, with forward slashes.
   */
  path: string;
  removed: number | null;
  reverted: boolean;
  /**
   * What was taken back of it, in their order; a file that is taken back keeps them for Undo.
   */
  reverted_hunks: Hunk[];
  /**
   * In bytes: after the turn, or before it if the file is gone.
   */
  size: number | null;
  too_large: boolean;
  /**
   * Why not.
   */
  words: string;
}
/**
 * Follow a session; resume after ``after`` of that ``epoch`` if it can be.
 */
export interface SubscribeFrame {
  after: number | null;
  epoch: string;
  session_id: string;
  type: 'subscribe';
}
/**
 * Stop following a session.
 */
export interface UnsubscribeFrame {
  session_id: string;
  type: 'unsubscribe';
}
/**
 * A command; answered by a reply of the same id.
 */
export interface CommandFrame {
  command: Command;
  id: number;
  type: 'command';
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
   * Whether agents may run in the folder.
   */
  trust: boolean;
}
/**
 * Keep a record of the session, or play one in the agent's place.
 */
export interface RecordWish {
  mode: 'record' | 'replay';
  /**
   * The record's folder, or the notebook's file, from the notebook's folder; default: beside
   * the notebook, under its name.
   */
  path: string;
  /**
   * Changes with each kernel and each ``on``: another run begins with other sessions.
   */
  run: string;
}
/**
 * One session's state.
 */
export interface GetSession {
  name: 'get_session';
  session_id: string;
}
/**
 * End a session; it is kept, and can be opened again. ACP: session/close.
 */
export interface CloseSession {
  name: 'close_session';
  session_id: string;
}
/**
 * End a session and remove all that is kept of it. ACP: session/delete.
 */
export interface DeleteSession {
  name: 'delete_session';
  session_id: string;
}
/**
 * Make a session that goes on from where another is now. ACP: session/fork.
 */
export interface ForkSession {
  name: 'fork_session';
  session_id: string;
}
/**
 * Start the agent of a session again. ACP: session/resume, session/load.
 */
export interface ResumeSession {
  name: 'resume_session';
  session_id: string;
}
/**
 * The sessions that an agent itself keeps. ACP: session/list.
 */
export interface ListAgentSessions {
  agent: string;
  cursor: string;
  /**
   * Absolute or relative to the server's root, which is the default.
   */
  cwd: string | null;
  name: 'list_agent_sessions';
}
/**
 * Open one of them here. ACP: session/load, session/resume.
 */
export interface OpenAgentSession {
  agent: string;
  agent_session_id: string;
  cwd: string | null;
  name: 'open_agent_session';
  title: string;
  trust: boolean;
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
 */
export interface GetTurn {
  name: 'get_turn';
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
 * Lines of a session's traffic log that pass the filters, in their order.
 *
 * A place is where a line begins in the log, in bytes.
 */
export interface GetTraffic {
  /**
   * The place to read on from: a page's ``end``. Without it the newest lines are read.
   */
  after: number | null;
  /**
   * The place to read back from: a page's ``start``.
   */
  before: number | null;
  direction: ('>' | '<' | '!') | null;
  limit: number;
  /**
   * The method, the kind of update or the kind of note; or part of it.
   */
  method: string;
  name: 'get_traffic';
  session_id: string;
  /**
   * What the line must hold; capital letters make no difference.
   */
  text: string;
}
/**
 * One line of the log, written out.
 */
export interface GetTrafficLine {
  name: 'get_traffic_line';
  place: number;
  session_id: string;
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
/**
 * Change a prompt before it is sent; new text keeps what is attached.
 */
export interface EditQueued {
  name: 'edit_queued';
  /**
   * Text, or ACP content blocks.
   */
  prompt:
    | string
    | {
        [k: string]: JsonValue;
      }[];
  turn_id: string;
}
/**
 * Stop the running turn, and send a prompt that waits before the others.
 */
export interface SendNow {
  name: 'send_now';
  turn_id: string;
}
/**
 * End a command that the host runs for the agent; its output stays.
 */
export interface KillTerminal {
  name: 'kill_terminal';
  session_id: string;
  terminal_id: string;
}
/**
 * What a turn changed, whoever wrote it, as it was at its end.
 */
export interface GetChanges {
  /**
   * Each file's text before and after, or one patch that ``git apply`` takes.
   */
  form: 'texts' | 'patch';
  name: 'get_changes';
  /**
   * Of one file alone.
   */
  path: string | null;
  turn_id: string;
}
/**
 * Take back what a turn changed, where nobody has changed it since; or undo that.
 */
export interface RevertTurn {
  /**
   * Parts of files, in place of whole ones.
   *
   * @maxItems 200
   */
  hunks: FileHunks[];
  name: 'revert_turn';
  /**
   * Whether to take back what can be, where some files were changed since.
   */
  partial: boolean;
  /**
   * Which files; by default all of them.
   */
  paths: string[] | null;
  turn_id: string;
  /**
   * Whether to put back what was taken back.
   */
  undo: boolean;
}
/**
 * Some of the changes in one file.
 */
export interface FileHunks {
  /**
   * @maxItems 10000
   */
  hunks: Hunk[];
  path: string;
}
/**
 * End an agent's processes; each session starts it anew when it next needs it.
 */
export interface RestartAgent {
  agent: string;
  name: 'restart_agent';
}
/**
 * Log in to a session's agent. ACP: authenticate; or its own program in a terminal.
 */
export interface Login {
  /**
   * One of the session's ``auth_methods``; empty for the first that can be used.
   */
  method_id: string;
  name: 'login';
  session_id: string;
}
/**
 * Log out of a session's agent. ACP: logout.
 */
export interface Logout {
  name: 'logout';
  session_id: string;
}
/**
 * The rules that are remembered, of one session and its folder or of all.
 */
export interface ListRules {
  name: 'list_rules';
  session_id: string;
}
/**
 * Forget a rule.
 */
export interface RevokeRule {
  name: 'revoke_rule';
  rule_id: string;
}
/**
 * Let agents run in a folder, or answer a session's question about its own.
 */
export interface TrustFolder {
  /**
   * Absolute, or relative to the server's root.
   */
  folder: string;
  name: 'trust_folder';
  request_id: string;
  session_id: string;
  /**
   * False only answers a question with no.
   */
  trust: boolean;
}
/**
 * The trusted folders.
 */
export interface ListTrust {
  name: 'list_trust';
}
/**
 * Trust a folder no more. Agents that run go on.
 */
export interface RevokeTrust {
  folder: string;
  name: 'revoke_trust';
}
/**
 * All documents that the page holds; sent whole on each change.
 */
export interface DocumentsFrame {
  documents: DocumentState[];
  type: 'documents';
}
/**
 * An open document of the page.
 */
export interface DocumentState {
  dirty: boolean;
  /**
   * When it last had the focus, seconds since the epoch; 0 for never.
   */
  focused_at: number;
  path: string;
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
 * One finding of a language server after a write (S1.25).
 */
export interface Diagnostic {
  /**
   * From 1.
   */
  line: number | null;
  message: string;
  path: string;
  severity: 'error' | 'warning' | 'info';
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
  new_text: string;
  /**
   * Null for a new file.
   */
  old_text: string | null;
  path: string;
  removed: number | null;
}
/**
 * A form to fill in, or a page to open. ACP: elicitation.
 */
export interface Elicitation {
  /**
   * For the record; secrets are not kept.
   */
  answers: ElicitationAnswer[];
  asked_at: number | null;
  description: string;
  fields: ElicitationField[];
  heading: string;
  /**
   * Where ``url`` really leads to.
   */
  host: string;
  id: string;
  kind: 'elicitation';
  message: string;
  mode: 'form' | 'url' | 'other';
  /**
   * What became of it, in words.
   */
  outcome: string;
  /**
   * What an answer names; unique in its session.
   */
  request_id: string;
  state: 'pending' | 'accepted' | 'declined' | 'cancelled' | 'expired';
  /**
   * Who asks, e.g. ``Question from Demo``.
   */
  title: string;
  tool_call_id: string;
  turn_id: string | null;
  url: string;
}
/**
 * What was answered in one field, in words.
 */
export interface ElicitationAnswer {
  label: string;
  name: string;
  text: string;
}
/**
 * A field of a form.
 */
export interface ElicitationField {
  choices: ElicitationChoice[];
  default: FieldValue | null;
  description: string;
  /**
   * ``email``, ``uri``, ``date``, ``date-time``, or one that is not checked.
   */
  format: string;
  label: string;
  max_items: number | null;
  max_length: number | null;
  maximum: number | null;
  min_items: number | null;
  min_length: number | null;
  minimum: number | null;
  /**
   * As the answer spells it.
   */
  name: string;
  pattern: string;
  required: boolean;
  /**
   * Whether its name says that the answer must not be kept.
   */
  secret: boolean;
  /**
   * ``unknown`` is asked as text.
   */
  type: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices' | 'unknown';
  /**
   * What the user should know of an unknown type.
   */
  words: string;
}
/**
 * One value of a field that offers some.
 */
export interface ElicitationChoice {
  description: string;
  label: string;
  value: string;
}
/**
 * An error as every route sends it.
 */
export interface ErrorBody {
  detail: string;
  /**
   * What is wrong with each field of a form, by its name.
   */
  fields: {
    [k: string]: string;
  };
  message: string;
  reason: string;
  status: number;
}
/**
 * A frame that could not be taken, or a session that is not known.
 */
export interface ErrorFrame {
  error: ErrorBody;
  session_id: string;
  type: 'error';
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
 * A window on the whole session: its newest items.
 */
export interface Snapshot {
  /**
   * Names one run of the server's memory; a ``seq`` counts only within it.
   */
  epoch: string;
  /**
   * Index of the first of ``items`` in the whole transcript.
   */
  first_index: number;
  items: Item[];
  kind: 'snapshot';
  /**
   * Rises by at least one; a merged event carries the last.
   */
  seq: number;
  session: SessionState;
  session_id: string;
  total: number;
  turns: TurnState[];
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
 * A line of a file that a search has found.
 */
export interface SearchHit {
  /**
   * From 1.
   */
  line: number;
  path: string;
  text: string;
}
/**
 * ACP: tool call location.
 */
export interface Location {
  line: number | null;
  path: string;
}
/**
 * A permission request, as a state of its tool call.
 */
export interface Permission {
  asked_at: number | null;
  /**
   * Name of the chosen option.
   */
  chosen: string;
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
/**
 * ACP: a terminal, ours or one that the agent runs itself. Its text is the call's output.
 */
export interface TerminalView {
  /**
   * Who ended it; empty where it ended by itself.
   */
  by: '' | 'agent' | 'user' | 'time_limit' | 'session';
  /**
   * As one would type it.
   */
  command: string;
  /**
   * Relative to the session's folder where it lies inside it.
   */
  cwd: string;
  exit_code: number | null;
  /**
   * Whether the host runs it, and so can stop it.
   */
  own: boolean;
  /**
   * Whether the agent needs it no more.
   */
  released: boolean;
  running: boolean;
  /**
   * Name of the signal that ended it.
   */
  signal: string;
  terminal_id: string;
  /**
   * Whether it put out more than is shown.
   */
  truncated: boolean;
}
/**
 * S1.19.
 */
export interface TodoItem {
  active_form: string;
  content: string;
  status: 'pending' | 'in_progress' | 'completed';
}
/**
 * Asked before an agent's first start in a folder. Nothing runs before the answer.
 */
export interface TrustRequest {
  agent_name: string;
  asked_at: number | null;
  /**
   * For people: home shortened to ``~``.
   */
  folder: string;
  id: string;
  kind: 'trust_request';
  /**
   * What became of it, in words.
   */
  outcome: string;
  /**
   * Unique in its session.
   */
  request_id: string;
  state: 'pending' | 'trusted' | 'declined' | 'cancelled';
  title: string;
  turn_id: string | null;
  /**
   * What trusting means.
   */
  words: string;
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
   * Whether the agent remembers all that is shown.
   */
  history: 'whole' | 'without';
  /**
   * A login that goes on, or has failed.
   */
  login: LoginState | null;
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
 * A login that goes on, or has failed.
 */
export interface LoginState {
  /**
   * Why it failed.
   */
  message: string;
  method_id: string;
  /**
   * Of the method, for people.
   */
  name: string;
  since: number | null;
  state: 'running' | 'failed';
  /**
   * The name of the terminal that it happens in.
   */
  terminal: string;
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
/**
 * A new item at the end.
 */
export interface ItemAdded {
  index: number;
  item: Item;
  kind: 'item_added';
  /**
   * Rises by at least one; a merged event carries the last.
   */
  seq: number;
  session_id: string;
}
/**
 * More text of one field. ``offset`` is in UTF-16 code units, as in JavaScript.
 */
export interface TextAppended {
  field: 'text' | 'output';
  item_id: string;
  kind: 'text_appended';
  offset: number;
  /**
   * Rises by at least one; a merged event carries the last.
   */
  seq: number;
  session_id: string;
  text: string;
}
/**
 * A message or thought gets no more text. Its text is not sent again.
 */
export interface ItemClosed {
  at: number;
  item_id: string;
  kind: 'item_closed';
  /**
   * Rises by at least one; a merged event carries the last.
   */
  seq: number;
  session_id: string;
}
/**
 * An item has changed otherwise.
 */
export interface ItemReplaced {
  item: Item;
  kind: 'item_replaced';
  /**
   * Rises by at least one; a merged event carries the last.
   */
  seq: number;
  session_id: string;
}
/**
 * The session's state has changed.
 */
export interface SessionChanged {
  kind: 'session_changed';
  /**
   * Rises by at least one; a merged event carries the last.
   */
  seq: number;
  session: SessionState;
  session_id: string;
}
/**
 * A turn was queued, began to run, asks, or goes on after an answer.
 */
export interface TurnStarted {
  kind: 'turn_started';
  /**
   * Rises by at least one; a merged event carries the last.
   */
  seq: number;
  session_id: string;
  turn: TurnState;
}
/**
 * A turn is done.
 */
export interface TurnEnded {
  kind: 'turn_ended';
  /**
   * Rises by at least one; a merged event carries the last.
   */
  seq: number;
  session_id: string;
  turn: TurnState;
}
/**
 * One flush of one session.
 */
export interface EventsFrame {
  events: Event[];
  session_id: string;
  type: 'events';
}
/**
 * First frame of a connection.
 */
export interface HelloFrame {
  api_version: number;
  epoch: string;
  sessions: SessionSummary[];
  type: 'hello';
  version: string;
}
/**
 * A line of the session list.
 */
export interface SessionSummary {
  agent_id: string;
  agent_name: string;
  /**
   * What its agent can do with sessions.
   */
  can: ('load' | 'resume' | 'list' | 'fork' | 'close' | 'delete' | 'logout' | 'http' | 'sse')[];
  notebook_path: string;
  /**
   * Why nothing can be sent from here; empty where it can.
   */
  read_only: string;
  session_id: string;
  status: 'starting' | 'idle' | 'running' | 'requires_action' | 'stopped';
  /**
   * Whether it is only in its folder; opened when somebody asks for it.
   */
  stored: boolean;
  title: string;
  updated_at: number | null;
  waiting: number;
}
/**
 * Result of ``get_items``.
 */
export interface ItemsPage {
  first_index: number;
  items: Item[];
  total: number;
}
/**
 * Result of ``login`` and ``logout``: what the user has to know.
 */
export interface LoginReply {
  /**
   * What to type where no terminal can be shown.
   */
  command: string;
  message: string;
  /**
   * The terminal to look at.
   */
  terminal: string;
}
/**
 * Result of ``get_records``, one turn.
 */
export interface NotebookRecord {
  bundle: Bundle;
  cell_id: string;
  done: boolean;
  session_id: string;
  source: string;
  turn_id: string;
}
/**
 * The outcome of a command.
 */
export interface ReplyFrame {
  error: ErrorBody | null;
  id: number;
  result: unknown;
  type: 'reply';
}
/**
 * Result of ``revert_turn``.
 */
export interface RevertReply {
  /**
   * Files that are as they were before the turn now, or after it if that was undone.
   */
  paths: string[];
  /**
   * Files that were left as they are, and why; only with ``partial``.
   */
  refused: {
    [k: string]: string;
  };
  turn_id: string;
}
/**
 * A remembered rule, and where it counts.
 */
export interface RuleEntry {
  /**
   * Of a folder's rule.
   */
  folder: string;
  rule: Rule;
  /**
   * Of a session's rule.
   */
  session_id: string;
  /**
   * As one would write it, e.g. ``execute:git status *``.
   */
  text: string;
}
/**
 * The session list, whole, when it has changed.
 */
export interface SessionsFrame {
  sessions: SessionSummary[];
  type: 'sessions';
}
/**
 * Result of ``get_traffic_line``.
 */
export interface TrafficDetail {
  /**
   * Whether that is only its beginning.
   */
  cut: boolean;
  place: number;
  /**
   * Its message as indented JSON.
   */
  text: string;
}
/**
 * A line of the log in short.
 */
export interface TrafficLine {
  /**
   * Seconds since the epoch.
   */
  at: number;
  direction: '>' | '<' | '!';
  kind: 'request' | 'response' | 'error' | 'notification' | 'note' | 'unknown';
  /**
   * ACP's method, also of the request that a response answers if that is near; a note's kind.
   */
  method: string;
  place: number;
  /**
   * How its content begins.
   */
  preview: string;
  seq: number;
  /**
   * Bytes.
   */
  size: number;
  /**
   * The kind of a ``session/update``.
   */
  update: string;
}
/**
 * Result of ``get_traffic``.
 *
 * Looking is bounded too: a page may hold few lines or none although there are more.
 */
export interface TrafficPage {
  /**
   * ...to here was looked at.
   */
  end: number;
  lines: TrafficLine[];
  /**
   * Of the whole log, as far as its lines are complete.
   */
  size: number;
  /**
   * Everything from here...
   */
  start: number;
}
/**
 * A folder, and with it all below it.
 */
export interface TrustedFolder {
  /**
   * When it was trusted; null where the configuration says so.
   */
  at: number | null;
  path: string;
}
/**
 * Result of ``get_turn``: a turn and all its items.
 */
export interface TurnDetail {
  /**
   * The final output, once the turn is done.
   */
  bundle: Bundle | null;
  items: Item[];
  /**
   * Whether a page with the labextension has the turn's notebook open.
   */
  page_holds_notebook: boolean;
  session: SessionState;
  turn: TurnState;
}
/**
 * The value of :data:`TURN_MIME`: a pointer to a turn, and a capped copy.
 *
 * Only the server's record of ``turn_id`` gives a view live state and
 * controls; the copy is drawn without them.
 */
export interface TurnSnapshot {
  agent: AgentInfo;
  final: boolean;
  /**
   * Agent and version, model, mode, policy, files changed, tokens.
   */
  footer: string[];
  items: Item[];
  session_id: string;
  session_title: string;
  turn: TurnState;
  turn_id: string;
  version: number;
}
