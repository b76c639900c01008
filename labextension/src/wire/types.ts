/* Made by `make gen` from the models in acp_jupyter; edit those. */

/** Version of the wire; page and server must have the same. */
export const API_VERSION = 1;

/**
 * What the page has drawn; the flush slows while it lags.
 */
export interface AckFrame {
  seq: number;
  session_id: string;
  type: 'ack';
}

/**
 * The ``metadata.acp`` of a cell that an agent wrote.
 */
export interface AcpMark {
  /**
   * Id of the agent.
   */
  agent: string;
  /**
   * Id of the turn.
   */
  turn: string;
  /**
   * Fingerprint of the source that it wrote: with another one, somebody else changed it since.
   */
  written: string;
}

/**
 * The ``metadata.acp`` of a cell that an agent wrote.
 */
export interface AcpMark1 {
  /**
   * Id of the agent.
   */
  agent: string;
  /**
   * Id of the turn.
   */
  turn: string;
  /**
   * Fingerprint of the source that it wrote: with another one, somebody else changed it since.
   */
  written: string;
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
   * What to know before: what it needs, what is checked, what is not.
   */
  notes: string[];
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
 * A session that an agent keeps.
 */
export interface AgentSession {
  agent_session_id: string;
  /**
   * Whether it is in the agent's archive.
   */
  archived: boolean;
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
  /**
   * The command as it was shown. Another one is refused, too; null where none was shown.
   */
  run: string | null;
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
  /**
   * Why it was not done, in words.
   */
  error: string | null;
  id: number;
  /**
   * Of ``read_notebook`` and ``edit_notebook``.
   */
  notebook: NotebookState | null;
  /**
   * The same in a word: ``no_document`` where another page may hold it.
   */
  reason: string;
  /**
   * Why cells were not changed.
   */
  refusal: NotebookRefusal | null;
  /**
   * Of ``read_document``.
   */
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
  /**
   * Remember this one of the request's ``wider_rules`` instead.
   */
  wider_rule: string;
}

/**
 * Result of ``archive_session`` and ``unarchive_session``.
 */
export interface ArchiveReply {
  /**
   * Why the agent's copy is not where the session is, in words; empty where it is.
   */
  message: string;
}

/**
 * End a session and put it into the archive, its agent's copy too. ACP: session/archive.
 */
export interface ArchiveSession {
  name: 'archive_session';
  session_id: string;
}

/**
 * Something that was made and is worth opening.
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
   * Filled in; empty where there is no preview.
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
   * For people, e.g. ``CSV``.
   */
  type_name: string;
}

/**
 * A question to the page about an open document; answered by an answer.
 */
export interface AskFrame {
  /**
   * After so long another page is asked; nothing may be changed then.
   */
  deadline_seconds: number;
  id: number;
  path: string;
  question: DocumentQuestion;
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
 * What a prompt carried beside its text.
 */
export interface Attachment {
  mime_type: string;
  name: string;
  type: 'image' | 'audio' | 'resource_link' | 'resource';
  uri: string;
}

/**
 * ACP: auth methods in the response to ``initialize``.
 */
export interface AuthMethod {
  /**
   * What a login in a terminal adds to the agent's command: variables and arguments.
   */
  adds: string;
  description: string;
  id: string;
  /**
   * Who performs the login: the agent itself, its own program in a terminal, or a variable.
   */
  kind: 'agent' | 'terminal' | 'env_var' | 'other';
  /**
   * Where to get a key.
   */
  link: string;
  name: string;
  variables: AuthVariable[];
}

/**
 * An environment variable with a secret for an agent. Its value is never asked for here.
 */
export interface AuthVariable {
  label: string;
  name: string;
  optional: boolean;
  secret: boolean;
}

/**
 * The session that this one continues, and the turn that it branched off before.
 */
export interface Branch {
  /**
   * Turns of other sessions that were reverted along with it, or with earlier sessions.
   */
  also: string[];
  /**
   * Whether files were restored, too.
   */
  files: boolean;
  session_id: string;
  /**
   * The turn whose prompt carries the earlier conversation; empty until it is sent.
   */
  told_in: string;
  turn_id: string;
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
  reason: 'user' | 'time_limit' | 'nobody';
  session_id: string;
  turn_id: string | null;
}

/**
 * Stop an import; nothing of it is kept.
 */
export interface CancelImport {
  import_id: string;
  name: 'cancel_import';
}

/**
 * End a login that goes on.
 */
export interface CancelLogin {
  name: 'cancel_login';
  session_id: string;
}

/**
 * Have the agent end one tool call, or its terminal; the turn, if it runs, goes on.
 *
 * ACP: tool_call/cancel, terminal/cancel.
 */
export interface CancelToolCall {
  name: 'cancel_tool_call';
  session_id: string;
  tool_call_id: string;
}

/**
 * One cell as it is now.
 */
export interface Cell {
  /**
   * Which agent wrote it, where one did.
   */
  acp: AcpMark | null;
  cell_type: 'code' | 'markdown' | 'raw';
  execution_count: number | null;
  id: string;
  outputs: NbOutput[];
  source: string;
}

export type CellEdit = InsertCell | ReplaceSource | MoveCell | DeleteCell | SetOutputs;

/**
 * The error that a prompt is about, and the cell that failed with it.
 */
export interface CellError {
  /**
   * As in a traceback, e.g. ``In[4]``; empty if unknown.
   */
  cell: string;
  cell_id: string;
  /**
   * Longest error message, on one line. Messages are cut far below this, which leaves room to
   * redact.
   */
  words: string;
}

/**
 * A cell that was run, with its source at that time.
 */
export interface CellRun {
  cell_id: string;
  /**
   * Counts the kernel's starts: what was set before one is gone.
   */
  kernel: number;
  source: string;
}

/**
 * What happened to one file in a turn.
 */
export interface ChangedFile {
  /**
   * Lines; null if they were not counted.
   */
  added: number | null;
  author: '' | 'agent' | 'another' | 'you' | 'unknown';
  binary: boolean;
  /**
   * Where the content that it replaced was before the turn, if that was not stored: a revert
   * moves it back.
   */
  came_from: string;
  /**
   * ``type``: a file became a link, or a link a file.
   */
  change: 'added' | 'modified' | 'deleted' | 'renamed' | 'type';
  /**
   * Whether it can be reverted.
   */
  kept: boolean;
  /**
   * Its permission bits after the turn.
   */
  new_mode: number | null;
  new_text_id: string;
  /**
   * Its permission bits before the turn.
   */
  old_mode: number | null;
  /**
   * Its old path, if it was renamed.
   */
  old_path: string;
  /**
   * The same for equal content; empty if unknown.
   */
  old_text_id: string;
  /**
   * Relative to the session's folder, with forward slashes; absolute outside it.
   */
  path: string;
  removed: number | null;
  reverted: boolean;
  /**
   * What was reverted of it, in order; a reverted file keeps them for Undo.
   */
  reverted_hunks: Hunk[];
  /**
   * In bytes: after the turn, or before it if the file is gone.
   */
  size: number | null;
  /**
   * Earlier turns that it was reverted with: these lines are from before the first of them.
   */
  together: string[];
  /**
   * Why not.
   */
  words: string;
  /**
   * Whether a user saved other changes to the file while the turn ran: those are not the
   * turn's.
   */
  yours_too: boolean;
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
 * Result of ``list_changing_sessions``.
 */
export interface ChangingSessions {
  /**
   * Those that changed it last; the newest last.
   */
  session_ids: string[];
}

/**
 * Nothing more comes.
 */
export interface CheckEnded {
  type: 'ended';
  /**
   * Why not all cells were run.
   */
  words: string;
}

export type CheckLine = CheckStarted | CheckedCellStarted | CheckedCell | CheckEnded;

/**
 * The second kernel runs.
 */
export interface CheckStarted {
  /**
   * How many code cells there are.
   */
  cells: number;
  type: 'started';
}

/**
 * A code cell after its run in the second kernel.
 */
export interface CheckedCell {
  cell_id: string;
  differences: OutputDifference[];
  /**
   * Its place in the notebook, from 1.
   */
  number: number;
  /**
   * Why it was skipped or has failed.
   */
  reason: string;
  type: 'cell';
  verdict: 'same' | 'different' | 'failed' | 'skipped';
}

/**
 * A cell runs.
 */
export interface CheckedCellStarted {
  number: number;
  type: 'running';
}

export type ClientFrame =
  | SubscribeFrame
  | UnsubscribeFrame
  | AckFrame
  | ProofFrame
  | CommandFrame
  | DocumentsFrame
  | AnswerFrame;

/**
 * End a session; it is kept, and can be opened again. ACP: session/close.
 */
export interface CloseSession {
  name: 'close_session';
  session_id: string;
}

/**
 * A code cell as it is now.
 */
export interface CodeCell {
  cell_id: string;
  source: string;
}

export type Command =
  | ListAgents
  | ServeAgent
  | GetRegistry
  | GetSandboxes
  | UpdateRegistry
  | ListSessions
  | SearchSessions
  | CreateSession
  | GetSession
  | SessionCommand
  | PromptSession
  | Cancel
  | AnswerPermission
  | SetConfig
  | GetItems
  | GetCell
  | GetTurn
  | AttachTurn
  | GetSavedOutputs
  | GetTranscript
  | GetTraffic
  | GetTrafficLine
  | ImportLog
  | StartImport
  | GetImport
  | CancelImport
  | AnswerElicitation
  | EditQueued
  | SendNow
  | Steer
  | KillTerminal
  | CancelToolCall
  | RunOutside
  | GetChanges
  | GetHistory
  | ListChangingSessions
  | RevertTurn
  | CreateVariant
  | KeepVariant
  | AllowDownload
  | RestartAgent
  | Login
  | CancelLogin
  | Logout
  | ListRules
  | RevokeRule
  | TrustFolder
  | ListTrust
  | RevokeTrust
  | MakeOutsideKey
  | ListOutsideKeys
  | RevokeOutsideKey
  | FindStale;

/**
 * A command; answered by a reply of the same id.
 */
export interface CommandFrame {
  command: Command;
  id: number;
  type: 'command';
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
 * The turn that this one is a copy of, in a session made from an earlier one.
 */
export interface CopiedTurn {
  /**
   * The cell that it came from, and that shows it.
   */
  cell_id: string;
  /**
   * Id of the first original: its changes are stored under that id.
   */
  turn_id: string;
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
  /**
   * Whether its agent works in a copy of the folder, which lasts as long as the session: another
   * session is found, or made, than where it does not. Default: as ``sandbox`` says.
   */
  in_copy: boolean | null;
  label: string;
  mode: string | null;
  model: string | null;
  name: 'create_session';
  /**
   * Of the sandbox of the session that is made; a kernel can only have it reach less.
   */
  network: ('all' | 'none' | 'hosts') | null;
  new: boolean;
  notebook_path: string;
  /**
   * Of the session that is made; a kernel's is that of its own prompts in it.
   */
  policy: ('ask' | 'read-only' | 'accept-edits' | 'allow-all' | 'deny') | null;
  /**
   * Whether to record the session, or to replay its recording instead of the agent.
   */
  record: RecordingOptions | null;
  /**
   * The same.
   */
  sandbox: ('off' | 'folder' | 'read-only' | 'copy') | null;
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
 * Start a session for one turn in a copy of the folder.
 *
 * In a notebook whose kernel this server has started, it gets a kernel of its own when its agent
 * first needs it, and the notebook tools for the copy.
 */
export interface CreateVariant {
  agent: string;
  /**
   * The same.
   */
  ask_trust: boolean;
  /**
   * The cell that asks: ``rerun`` runs those above it.
   */
  cell_id: string;
  /**
   * The folder to copy, absolute or relative to the server's root; default: chosen from the
   * notebook.
   */
  cwd: string | null;
  name: 'create_variant';
  /**
   * The same. A kernel can only have it reach less than that.
   */
  network: ('all' | 'none' | 'hosts') | null;
  notebook_path: string;
  /**
   * What that kernel begins with.
   */
  restore: 'dill' | 'rerun' | 'none';
  /**
   * Default: that of the notebook's session with this agent, else as for a new session.
   */
  sandbox: ('off' | 'folder' | 'read-only' | 'copy') | null;
  /**
   * Whether the agent gets the notebook tools, and so a kernel.
   */
  tools: boolean;
  /**
   * Whether agents may run in the folder and its copies; see ``create_session``.
   */
  trust: boolean;
  /**
   * As the first variant of a prompt has it; empty for the first one.
   */
  try_id: string;
}

/**
 * Remove a cell.
 */
export interface DeleteCell {
  acp: AcpMark1;
  cell_id: string;
  fingerprint: string;
  op: 'delete';
}

/**
 * End a session and remove all that is kept of it. ACP: session/delete.
 */
export interface DeleteSession {
  name: 'delete_session';
  session_id: string;
}

/**
 * A field of a tool's input that the card does not show in another way.
 */
export interface Detail {
  name: string;
  value: string;
}

/**
 * A diagnostic of a language server after a write.
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

export type DocumentQuestion =
  ReadDocument | WriteDocument | SaveDocument | ReadNotebook | EditNotebook | Withdraw;

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
 * All documents that the page holds; sent whole on each change.
 */
export interface DocumentsFrame {
  documents: DocumentState[];
  type: 'documents';
}

/**
 * Make all these changes, or none, and save.
 */
export interface EditNotebook {
  edits: CellEdit[];
  /**
   * The sources that cells must have for it, by the cells' ids.
   */
  expected: {
    [k: string]: string;
  };
  op: 'edit_notebook';
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
 * A form to fill in, or a page to open. ACP: elicitation.
 */
export interface Elicitation {
  /**
   * Which user answered, where several can; never saved in a notebook.
   */
  answered_by: string;
  /**
   * The answers as they are saved, without secrets.
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
 * One of the values that a field offers.
 */
export interface ElicitationChoice {
  description: string;
  label: string;
  value: string;
}

/**
 * A field of a form.
 */
export interface ElicitationField {
  choices: ElicitationChoice[];
  default: FieldValue | null;
  description: string;
  /**
   * ``email``, ``uri``, ``date``, ``date-time``, or a format that is not checked.
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
   * The field's key in the answer.
   */
  name: string;
  pattern: string;
  required: boolean;
  /**
   * Whether the field's name suggests that the answer is a secret, which must not be stored.
   */
  secret: boolean;
  /**
   * ``unknown`` is shown as a text field.
   */
  type: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices' | 'unknown';
  /**
   * What to tell the user about an unknown type.
   */
  words: string;
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

export type Event =
  | Snapshot
  | ItemAdded
  | TextAppended
  | TextChanged
  | ItemClosed
  | ItemReplaced
  | SessionChanged
  | TurnStarted
  | TurnEnded;

/**
 * One flush of one session.
 */
export interface EventsFrame {
  events: Event[];
  session_id: string;
  type: 'events';
}

export type FieldValue = string | boolean | number | string[];

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
 * A changed file with its text.
 */
export interface FileTexts {
  /**
   * Lines; null if they were not counted.
   */
  added: number | null;
  author: '' | 'agent' | 'another' | 'you' | 'unknown';
  binary: boolean;
  /**
   * Where the content that it replaced was before the turn, if that was not stored: a revert
   * moves it back.
   */
  came_from: string;
  /**
   * ``type``: a file became a link, or a link a file.
   */
  change: 'added' | 'modified' | 'deleted' | 'renamed' | 'type';
  /**
   * Ids of a notebook's cells that others changed after a tool had written them in this turn.
   */
  edited_cells: string[];
  /**
   * Whether it can be reverted.
   */
  kept: boolean;
  /**
   * Its permission bits after the turn.
   */
  new_mode: number | null;
  new_text: string | null;
  new_text_id: string;
  /**
   * Its permission bits before the turn.
   */
  old_mode: number | null;
  /**
   * Its old path, if it was renamed.
   */
  old_path: string;
  /**
   * Null for a new file, and for one that is no text or too large.
   */
  old_text: string | null;
  /**
   * The same for equal content; empty if unknown.
   */
  old_text_id: string;
  /**
   * Relative to the session's folder, with forward slashes; absolute outside it.
   */
  path: string;
  removed: number | null;
  reverted: boolean;
  /**
   * What was reverted of it, in order; a reverted file keeps them for Undo.
   */
  reverted_hunks: Hunk[];
  /**
   * In bytes: after the turn, or before it if the file is gone.
   */
  size: number | null;
  /**
   * Earlier turns that it was reverted with: these lines are from before the first of them.
   */
  together: string[];
  too_large: boolean;
  /**
   * Why not.
   */
  words: string;
  /**
   * Whether a user saved other changes to the file while the turn ran: those are not the
   * turn's.
   */
  yours_too: boolean;
}

/**
 * A file at one moment, and before the first turn.
 */
export interface FileThen {
  /**
   * Lines; null if they were not counted.
   */
  added: number | null;
  author: '' | 'agent' | 'another' | 'you' | 'unknown';
  binary: boolean;
  /**
   * Where the content that it replaced was before the turn, if that was not stored: a revert
   * moves it back.
   */
  came_from: string;
  /**
   * ``type``: a file became a link, or a link a file.
   */
  change: 'added' | 'modified' | 'deleted' | 'renamed' | 'type';
  /**
   * Ids of a notebook's cells that others changed after a tool had written them in this turn.
   */
  edited_cells: string[];
  /**
   * Whether it can be reverted.
   */
  kept: boolean;
  /**
   * Of ``picture``.
   */
  media_type: string;
  /**
   * Its permission bits after the turn.
   */
  new_mode: number | null;
  new_text: string | null;
  new_text_id: string;
  /**
   * Its permission bits before the turn.
   */
  old_mode: number | null;
  /**
   * Its old path, if it was renamed.
   */
  old_path: string;
  /**
   * Null for a new file, and for one that is no text or too large.
   */
  old_text: string | null;
  /**
   * The same for equal content; empty if unknown.
   */
  old_text_id: string;
  /**
   * Relative to the session's folder, with forward slashes; absolute outside it.
   */
  path: string;
  /**
   * In base64, where it was a picture then.
   */
  picture: string;
  removed: number | null;
  reverted: boolean;
  /**
   * What was reverted of it, in order; a reverted file keeps them for Undo.
   */
  reverted_hunks: Hunk[];
  /**
   * In bytes: after the turn, or before it if the file is gone.
   */
  size: number | null;
  /**
   * Earlier turns that it was reverted with: these lines are from before the first of them.
   */
  together: string[];
  too_large: boolean;
  /**
   * Why not.
   */
  words: string;
  /**
   * Whether a user saved other changes to the file while the turn ran: those are not the
   * turn's.
   */
  yours_too: boolean;
}

/**
 * A file that was written.
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
 * Compare what cells ran with what they hold now.
 */
export interface FindStale {
  /**
   * The notebook's code cells, in its order.
   *
   * @maxItems 5000
   */
  cells: CodeCell[];
  name: 'find_stale';
  /**
   * Whether the cells are Python; names of other languages are not read.
   */
  python: boolean;
  /**
   * What was run, oldest first.
   *
   * @maxItems 2000
   */
  runs: CellRun[];
}

/**
 * Make a session that goes on from where another is now. ACP: session/fork.
 */
export interface ForkSession {
  name: 'fork_session';
  session_id: string;
}

/**
 * Result of ``search_sessions``.
 */
export interface FoundSessions {
  /**
   * Whether there may be more: in a session with many hits, or with a very long log.
   */
  cut: boolean;
  hits: FoundText[];
  /**
   * Where the next call goes on; empty when all is done.
   */
  next_cursor: string;
  /**
   * Sessions that were looked through, with the calls before this one.
   */
  searched: number;
  total: number;
}

/**
 * A place in a session where the words are.
 */
export interface FoundText {
  /**
   * ...and the text just after them.
   */
  after: string;
  /**
   * The text just before the words...
   */
  before: string;
  /**
   * ...the words as they stand there...
   */
  match: string;
  session_id: string;
  /**
   * Empty where no turn is known.
   */
  turn_id: string;
  where: 'prompt' | 'answer';
}

/**
 * A cell of the session's notebook, as a page shows it: what ``@cell 3`` in a prompt names.
 */
export interface GetCell {
  name: 'get_cell';
  number: number;
  session_id: string;
}

/**
 * What changed while a turn ran, and whose change it is, as it was at its end.
 */
export interface GetChanges {
  /**
   * Turns before it, the oldest first: the file is compared with what it was before them.
   *
   * @maxItems 1000
   */
  earlier: string[];
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
 * The turns of a notebook; or files and cells as they were after one of them.
 *
 * Turns that were taken back by going back are left out, and so are those in copies of the folder.
 */
export interface GetHistory {
  /**
   * Whether the moment before it is meant, in place of the one after.
   */
  before: boolean;
  name: 'get_history';
  notebook_path: string;
  /**
   * One of the moment's files, with its text.
   */
  path: string;
  /**
   * Which turn is meant; empty for the list of them.
   */
  turn_id: string;
}

/**
 * How far an import is; waits for its end at most ``wait_seconds``.
 */
export interface GetImport {
  import_id: string;
  name: 'get_import';
  wait_seconds: number;
}

/**
 * Items by index, for what lies before the snapshot's window.
 */
export interface GetItems {
  end: number;
  name: 'get_items';
  session_id: string;
  start: number;
  /**
   * Of a turn of this session: ``start`` and ``end`` count from its first item.
   */
  turn_id: string;
}

/**
 * The list of the public registry that is in use.
 */
export interface GetRegistry {
  name: 'get_registry';
}

/**
 * Which sandboxes agents can have here, and how well they are kept.
 */
export interface GetSandboxes {
  name: 'get_sandboxes';
}

/**
 * The turns of a notebook, as output bundles keyed by cell.
 */
export interface GetSavedOutputs {
  /**
   * Only turns that have changed since: the ``number`` of an earlier result, with its epoch.
   */
  after: number | null;
  /**
   * Where what has changed is not known: leave out turns that ended until then, seconds since
   * the epoch. The notebook holds their records.
   */
  ended_after: number | null;
  epoch: string;
  name: 'get_records';
  notebook_path: string;
  /**
   * Which of its sessions' turns, also those that have no cell; by default all of its cells.
   */
  turn_ids: string[] | null;
  /**
   * Turns that the notebook has as running; they are not left out.
   *
   * @maxItems 1000
   */
  unfinished: string[];
}

/**
 * One session's state.
 */
export interface GetSession {
  name: 'get_session';
  session_id: string;
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
  /**
   * Whether consecutive chunks of one stream are one line.
   */
  gather: boolean;
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
  /**
   * How long to wait, where nothing has come after ``after`` yet.
   */
  wait_seconds: number;
}

/**
 * One line of the log, written out; or the text of gathered chunks.
 */
export interface GetTrafficLine {
  /**
   * Where the gathered chunks end.
   */
  end: number | null;
  name: 'get_traffic_line';
  place: number;
  session_id: string;
}

/**
 * A whole transcript for export, without secrets and places on this machine.
 */
export interface GetTranscript {
  /**
   * ``shared`` is HTML that shows it as JupyterLab does, and plays it in steps.
   */
  format: 'json' | 'markdown' | 'html' | 'shared';
  name: 'get_transcript';
  session_id: string;
  /**
   * Whether Markdown and HTML hold the agent's reasoning.
   */
  thoughts: boolean;
  /**
   * Of this turn alone; ``last`` is the newest that was sent.
   */
  turn_id: string;
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
 * First frame of a connection.
 */
export interface HelloFrame {
  api_version: number;
  epoch: string;
  sessions: SessionSummary[];
  type: 'hello';
  /**
   * Who the page is among several people; empty where people have no names.
   */
  user: string;
  version: string;
}

/**
 * Result of ``get_history``: the one that was asked for.
 */
export interface History {
  file: FileThen | null;
  moment: HistoryMoment | null;
  /**
   * Oldest first.
   */
  steps: HistoryStep[];
}

/**
 * A session's folder and the notebook at one moment.
 */
export interface HistoryMoment {
  /**
   * With those of their outputs that can be shown: text and pictures.
   */
  cells: Cell[];
  /**
   * Why there are no cells.
   */
  cells_words: string;
  /**
   * Those that are not what they were before the first turn, whoever changed them.
   */
  files: ChangedFile[];
  /**
   * Of its kernel, as the notebook says: ``python``.
   */
  language: string;
  /**
   * How many more there are.
   */
  left_out: number;
  /**
   * What the notebook was called, relative to the folder.
   */
  notebook_path: string;
  /**
   * Why they can't be shown; empty where they can.
   */
  words: string;
}

/**
 * A turn of a notebook.
 */
export interface HistoryStep {
  agent_name: string;
  /**
   * How many it has changed.
   */
  files: number;
  /**
   * Whether files and cells after it can be shown.
   */
  kept: boolean;
  /**
   * How it begins.
   */
  prompt: string;
  /**
   * Whether it has not ended: what it changes is not known yet.
   */
  running: boolean;
  session_id: string;
  started_at: number | null;
  turn_id: string;
}

/**
 * One change in a file: a range of lines before the turn, and the range that replaced it.
 *
 * Lines are counted from 0, and the end is exclusive: an empty range is a position. In a notebook
 * they are cells, and four zeros stand for the notebook's metadata.
 */
export interface Hunk {
  new_end: number;
  new_start: number;
  old_end: number;
  old_start: number;
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
 * How far an import is.
 */
export interface ImportProgress {
  bytes_read: number;
  bytes_total: number;
  file_name: string;
  import_id: string;
  /**
   * Lines of the file that this stage has read.
   */
  lines: number;
  /**
   * Whether the log is only looked through, to know what it is of, or read.
   */
  stage: 'survey' | 'read';
}

/**
 * The imports of logs that run now, all of them, when one has changed. None run at first.
 */
export interface ImportsFrame {
  imports: ImportProgress[];
  type: 'imports';
}

/**
 * Add a cell.
 */
export interface InsertCell {
  acp: AcpMark;
  /**
   * Id of the cell that it comes after, perhaps one that this list inserts; None: first.
   */
  after: string | null;
  /**
   * Of the new cell; not used yet in the notebook.
   */
  cell_id: string;
  cell_type: 'code' | 'markdown' | 'raw';
  op: 'insert';
  source: string;
}

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
 * Result of ``get_items``.
 */
export interface ItemsPage {
  first_index: number;
  items: Item[];
  total: number;
}

export type JsonValue = unknown;

/**
 * Put what a turn has changed in a copy into the folder that was copied, or take it out again.
 *
 * The turn is that of a variant, or of a session in the sandbox ``copy``; then what earlier turns
 * have changed in the same files is kept with it. All of it or nothing: it is refused where a file
 * was changed since the copy was made.
 */
export interface KeepVariant {
  name: 'keep_variant';
  /**
   * Which files; default: all that can be kept.
   */
  paths: string[] | null;
  turn_id: string;
  undo: boolean;
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
 * The sessions that an agent itself keeps. ACP: session/list.
 */
export interface ListAgentSessions {
  agent: string;
  /**
   * Whether those in the agent's archive are listed, too.
   */
  archived: boolean;
  cursor: string;
  /**
   * Absolute or relative to the server's root, which is the default.
   */
  cwd: string | null;
  name: 'list_agent_sessions';
}

/**
 * The configured agents and whether they can start.
 */
export interface ListAgents {
  name: 'list_agents';
  /**
   * The notebook whose own agents are listed, too. A kernel's is known.
   */
  notebook_path: string;
}

/**
 * The sessions that are open here and have changed a file, whatever notebook they are of.
 */
export interface ListChangingSessions {
  name: 'list_changing_sessions';
  /**
   * Of the file, below the server's root.
   */
  path: string;
}

/**
 * List the keys that are good now, the newest first.
 */
export interface ListOutsideKeys {
  name: 'list_outside_keys';
}

/**
 * The rules that are remembered, of one session and its folder or of all.
 */
export interface ListRules {
  name: 'list_rules';
  session_id: string;
}

/**
 * The sessions that the caller may see.
 */
export interface ListSessions {
  name: 'list_sessions';
}

/**
 * The trusted folders.
 */
export interface ListTrust {
  name: 'list_trust';
}

/**
 * ACP: tool call location.
 */
export interface Location {
  line: number | null;
  path: string;
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
 * Log out of a session's agent. ACP: logout.
 */
export interface Logout {
  name: 'logout';
  session_id: string;
}

/**
 * Make a key for an agent outside.
 */
export interface MakeOutsideKey {
  name: 'make_outside_key';
  /**
   * Relative to the root folder, with forward slashes.
   */
  notebook_path: string;
  policy: 'read-only' | 'ask';
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
 * Put a cell elsewhere.
 */
export interface MoveCell {
  /**
   * Id of the cell that it comes after; None: first.
   */
  after: string | null;
  cell_id: string;
  fingerprint: string;
  op: 'move';
}

/**
 * A name, and the cell that sets it.
 */
export interface NameLink {
  cell_id: string;
  name: string;
}

export interface NbOutput {
  [k: string]: JsonValue;
}

/**
 * A key, the only time that it is shown.
 */
export interface NewOutsideKey {
  entry: OutsideKeyEntry;
  key: string;
  /**
   * The environment variable that the program takes it from.
   */
  variable: string;
}

/**
 * Why a notebook could not be read or changed; nothing of it was changed.
 */
export interface NotebookRefusal {
  cell_id: string;
  /**
   * In words for whoever asked.
   */
  message: string;
  reason:
    'cell_gone' | 'stale' | 'no_notebook' | 'unreadable' | 'no_answer' | 'invalid' | 'too_large';
  /**
   * What the cell holds now, where it is ``stale``.
   */
  source: string | null;
}

/**
 * A notebook as it is now, unsaved changes included.
 */
export interface NotebookState {
  cells: Cell[];
  /**
   * Of its kernel, as the notebook says: ``python``.
   */
  language: string;
  /**
   * Whether something of it is not on disk.
   */
  unsaved: boolean;
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
  /**
   * What the host offers to do about it; never said by an agent.
   */
  offers: '' | 'rewind' | 'undo_rewind';
  severity: 'info' | 'warning' | 'error';
  /**
   * Of ``rewind``: the turn to go back to before.
   */
  target: string;
  text: string;
  title: string;
  /**
   * The prompt turn it belongs to; null for what came between turns.
   */
  turn_id: string | null;
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
 * Which notebook cell a prompt came from.
 */
export interface Origin {
  cell_id: string;
  /**
   * The error that ``%acp fix`` asks about.
   */
  error: CellError | null;
  kernel_id: string;
  /**
   * Relative to the server's root, with forward slashes.
   */
  notebook_path: string;
  /**
   * The cell's whole source when it ran.
   */
  source: string;
  /**
   * Id of the turn's own widget, if the prompt came from a program or a button and not a cell.
   */
  view_id: string;
}

/**
 * One kind of output that is another now: ``stdout``, a MIME type, ``error``.
 */
export interface OutputDifference {
  /**
   * False for pictures, which are shown and not compared.
   */
  counts: boolean;
  kind: string;
  new: string | null;
  /**
   * None where there was none.
   */
  old: string | null;
}

/**
 * What is known of a key. The key itself is kept nowhere.
 */
export interface OutsideKeyEntry {
  created_at: number;
  /**
   * It ends then, with the server, or when it is revoked, whichever is first.
   */
  expires_at: number;
  key_id: string;
  last_used_at: number | null;
  notebook_path: string;
  /**
   * How its agents begin. The policy of their sessions can be changed like any other.
   */
  policy: 'read-only' | 'ask';
  /**
   * Who made it; empty where people have no names.
   */
  user: string;
}

/**
 * A permission request, as a state of its tool call.
 */
export interface Permission {
  /**
   * Which user answered, where several can; never saved in a notebook.
   */
  answered_by: string;
  asked_at: number | null;
  /**
   * What the host found of the files on disk, e.g. that one is protected, and why.
   */
  cautions: string[];
  /**
   * Name of the chosen option.
   */
  chosen: string;
  /**
   * What else the agent sent, all of it.
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
   * Whether a file holds another text than what the agent says it replaces: then lines that it
   * calls unchanged may be new.
   */
  text_differs: boolean;
  /**
   * Who wants what, e.g. ``Demo wants to edit a file``.
   */
  title: string;
  /**
   * Whether the agent sent more than can be shown: such a request can't be allowed.
   */
  too_large: boolean;
  /**
   * What may be remembered instead, while the request waits.
   */
  wider_rules: WiderRule[];
  /**
   * Whether a policy, a rule or the agent's own settings answered: no user saw it before.
   */
  without_user: boolean;
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
  sandbox: ('off' | 'folder' | 'read-only' | 'copy') | null;
  session_id: string;
}

/**
 * The key that the server gave to the page: only its own connection has it.
 */
export interface ProofFrame {
  key: string;
  type: 'proof';
}

/**
 * A prompt that waits for the running turn.
 */
export interface QueuedPrompt {
  text: string;
  turn_id: string;
}

/**
 * Asks for the text that the editor shows.
 */
export interface ReadDocument {
  op: 'read_document';
}

/**
 * Asks for the cells of the notebook.
 */
export interface ReadNotebook {
  op: 'read_notebook';
}

/**
 * The notebook's options for recording a session, or for playing a recording.
 */
export interface RecordingOptions {
  mode: 'record' | 'replay';
  /**
   * Folder of the recordings, or a notebook file, relative to the notebook's folder; default:
   * beside the notebook, with its name.
   */
  path: string;
  /**
   * Changes with each kernel and each ``on``, so that a new run starts with new sessions.
   */
  run: string;
}

/**
 * Result of ``get_registry`` and ``update_registry``.
 */
export interface RegistryReply {
  /**
   * As ``2026-02-07``; empty where there is no list.
   */
  date: string;
  /**
   * Whether it was downloaded since; otherwise it came with this version.
   */
  downloaded: boolean;
  /**
   * Why the last download failed; the list is the one from before.
   */
  failure: string;
  /**
   * Whether a newer one may be downloaded.
   */
  may_update: boolean;
}

/**
 * Give a cell another source; its outputs and its id stay.
 */
export interface ReplaceSource {
  acp: AcpMark;
  cell_id: string;
  /**
   * Of the source that is replaced.
   */
  fingerprint: string;
  op: 'replace';
  source: string;
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
 * End an agent's processes; each session starts it anew when it next needs it.
 */
export interface RestartAgent {
  agent: string;
  name: 'restart_agent';
}

/**
 * Start the agent of a session again. ACP: session/resume, session/load.
 */
export interface ResumeSession {
  name: 'resume_session';
  session_id: string;
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
   * Files that were left as they are, and why: with ``partial``, and links of a variant that
   * lead out of the folder.
   */
  refused: {
    [k: string]: string;
  };
  turn_id: string;
}

/**
 * Take back what a turn changed, where nobody has changed it since; or undo that.
 */
export interface RevertTurn {
  /**
   * Where no files are named: whose changes, the turn's own, those of nobody that was seen, or
   * both.
   */
  authors: ('agent' | 'unknown')[];
  /**
   * Turns before it, the oldest first, whose changes of these files go with it.
   *
   * @maxItems 1000
   */
  earlier: string[];
  /**
   * Parts of files, in place of whole ones.
   *
   * @maxItems 200
   */
  hunks: FileHunks[];
  /**
   * It was done in an open document, by its user: nothing is written, only remembered.
   */
  in_document: boolean;
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
 * What was reverted of one turn.
 */
export interface RevertedTurn {
  /**
   * Whether more than the named files was reverted.
   */
  all_of_it: boolean;
  paths: string[];
  turn_id: string;
}

/**
 * End a key, and what is connected with it.
 */
export interface RevokeOutsideKey {
  key_id: string;
  name: 'revoke_outside_key';
}

/**
 * Forget a rule.
 */
export interface RevokeRule {
  name: 'revoke_rule';
  rule_id: string;
}

/**
 * Trust a folder no more. Agents that run go on.
 */
export interface RevokeTrust {
  folder: string;
  name: 'revoke_trust';
}

/**
 * Result of ``rewind_session`` and ``undo_rewind``.
 */
export interface RewindReply {
  /**
   * Files that these turns changed, and that could not be taken back.
   */
  left: string[];
  /**
   * Files that are as they were.
   */
  paths: string[];
  session: SessionState1;
  /**
   * How many turns were taken back, or are there again.
   */
  turns: number;
  /**
   * What was done, for people.
   */
  words: string;
}

/**
 * Go back to before a turn, with the files and what the agent remembers.
 *
 * What the turn and all later ones changed is taken back, or nothing is; then the conversation
 * goes on in a new session, whose agent knows what was said before the turn and nothing of what
 * came after. A turn that runs in the session is stopped. The session itself is kept.
 */
export interface RewindSession {
  /**
   * Later turns of other sessions whose changes go back with it. Their agents remember them.
   *
   * @maxItems 1000
   */
  also: string[];
  /**
   * Whether files go back, too.
   */
  files: boolean;
  name: 'rewind_session';
  session_id: string;
  turn_id: string;
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
   * The scope of the rule: one turn, one session, or all sessions in one folder.
   */
  scope: 'turn' | 'session' | 'workspace';
  tool_kind: 'read' | 'search' | 'edit' | 'delete' | 'move' | 'execute' | 'fetch';
  /**
   * The user whose prompts it applies to; empty for all.
   */
  user: string;
  /**
   * The same for people.
   */
  words: string;
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
 * Ask whether the command of a tool call, which a wall of its sandbox stopped, may run once.
 *
 * The question is a permission request of its own; after a yes the command runs at once.
 */
export interface RunOutside {
  name: 'run_outside';
  session_id: string;
  tool_call_id: string;
}

/**
 * Result of ``get_sandboxes``.
 */
export interface SandboxesReply {
  /**
   * Those that may be chosen.
   */
  allowed: ('off' | 'folder' | 'read-only' | 'copy')[];
  /**
   * What keeps them, with its version; empty where nothing does.
   */
  kept_by: string;
  level: 'full' | 'partial' | 'none';
  /**
   * The lowest level at which an agent is started in one.
   */
  required_level: 'full' | 'partial' | 'none';
  /**
   * What is missing for the next level, and what to do; empty for the full one.
   */
  why_not_more: string;
}

/**
 * Save the document, unless its user does not want that: ``unwanted``.
 */
export interface SaveDocument {
  op: 'save_document';
}

/**
 * One turn in the result of ``get_records``.
 */
export interface SavedOutput {
  bundle: Bundle;
  cell_id: string;
  done: boolean;
  ended_at: number | null;
  queued_at: number | null;
  session_id: string;
  source: string;
  turn_id: string;
}

/**
 * Result of ``get_records``.
 */
export interface SavedOutputs {
  /**
   * The same.
   */
  epoch: string;
  /**
   * What to ask for as ``after``, to get what changes from now on.
   */
  number: number;
  outputs: SavedOutput[];
}

/**
 * A line that a search found.
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
 * Look for words in the prompts and answers of all sessions, the newest first.
 *
 * One call looks for a limited time. Ask again with its ``next_cursor`` to go on.
 */
export interface SearchSessions {
  cursor: string;
  name: 'search_sessions';
  /**
   * Its words in this order; capital letters and the space between them make no difference.
   */
  text: string;
}

/**
 * Stop the running turn, and send a prompt that waits before the others.
 */
export interface SendNow {
  name: 'send_now';
  turn_id: string;
}

/**
 * Offer an agent that runs in this kernel to its notebook's sessions.
 */
export interface ServeAgent {
  /**
   * The private socket on which the kernel serves it.
   */
  address: string;
  /**
   * Its name.
   */
  agent: string;
  /**
   * What opens the socket.
   */
  key: string;
  name: 'serve_agent';
}

export type ServerFrame =
  HelloFrame | SessionsFrame | ImportsFrame | EventsFrame | ReplyFrame | AskFrame | ErrorFrame;

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

export type SessionCommand =
  | CloseSession
  | DeleteSession
  | ArchiveSession
  | UnarchiveSession
  | ForkSession
  | ResumeSession
  | RewindSession
  | UndoRewind
  | ListAgentSessions
  | OpenAgentSession;

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
   * Whether it is in the archive: kept, and not listed with the others.
   */
  archived: boolean;
  /**
   * Ways to log in, as the agent offers them.
   */
  auth_methods: AuthMethod[];
  /**
   * How much goes on beside the turns, such as tool calls that outlive theirs.
   */
  background: number;
  /**
   * Where it goes on from an earlier session: that, and the turn before which it does.
   */
  branch: Branch | null;
  /**
   * What the agent can do with sessions.
   */
  can: (
    | 'load'
    | 'resume'
    | 'list'
    | 'fork'
    | 'close'
    | 'delete'
    | 'logout'
    | 'http'
    | 'sse'
    | 'acp'
    | 'additionalDirectories'
    | 'systemPrompt'
    | 'title'
    | 'archive'
    | 'authStatus'
    | 'steering'
  )[];
  commands: SlashCommand[];
  config_options: ConfigOption[];
  /**
   * The session that goes on from an earlier turn of this one, where one took its place.
   */
  continues_in: string;
  /**
   * The folder that ``cwd`` is a copy of, where its agent works in the sandbox ``copy``.
   */
  copied_folder: string;
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
   * Where that notebook was before it was renamed or moved.
   */
  former_paths: string[];
  /**
   * Why the next message waits before the agent gets it, in words.
   */
  held: string;
  /**
   * Whether the agent remembers all that is shown; ``gap`` where lines of the log are missing.
   */
  history: 'whole' | 'without' | 'gap';
  /**
   * Which login the agent says it uses, e.g. ``Anthropic API key``.
   */
  logged_in: string;
  /**
   * A login that goes on, or has failed.
   */
  login: LoginState | null;
  /**
   * Whether a turn waits for a look at its folder: the prompt is sent after that.
   */
  looking: boolean;
  /**
   * Name of the model, for agents without a config option for it.
   */
  model: string;
  modes: Mode[];
  /**
   * Whether a person gave the title. The agent's does not replace it then.
   */
  named: boolean;
  /**
   * Why the agent opens no session before somebody logs in; empty where it does.
   */
  needs_login: string;
  /**
   * What was chosen for the sandbox's network.
   */
  network: 'all' | 'none' | 'hosts';
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
   * What was taken back in files when it was made so, in that order.
   */
  reverted: RevertedTurn[];
  /**
   * Of this session; those of its folder are kept elsewhere.
   */
  rules: Rule[];
  /**
   * What was chosen for turns to come.
   */
  sandbox: 'off' | 'folder' | 'read-only' | 'copy';
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
   * Names of the agent's tools, as far as it tells them.
   */
  tools: string[];
  /**
   * What the agent does without asking in its present mode; no policy sees that.
   */
  unasked: '' | 'edits' | 'judged' | 'all';
  updated_at: number | null;
  usage: Usage | null;
  /**
   * Where it is one of several tries of a prompt, in a copy of the folder.
   */
  variant: Variant | null;
  /**
   * Pending permission requests.
   */
  waiting: number;
  /**
   * What holds the agent that runs, or ran last; null where it has no sandbox.
   */
  walls: WallsInForce | null;
}

/**
 * What is true of a session as a whole.
 */
export interface SessionState1 {
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
   * Whether it is in the archive: kept, and not listed with the others.
   */
  archived: boolean;
  /**
   * Ways to log in, as the agent offers them.
   */
  auth_methods: AuthMethod[];
  /**
   * How much goes on beside the turns, such as tool calls that outlive theirs.
   */
  background: number;
  /**
   * Where it goes on from an earlier session: that, and the turn before which it does.
   */
  branch: Branch | null;
  /**
   * What the agent can do with sessions.
   */
  can: (
    | 'load'
    | 'resume'
    | 'list'
    | 'fork'
    | 'close'
    | 'delete'
    | 'logout'
    | 'http'
    | 'sse'
    | 'acp'
    | 'additionalDirectories'
    | 'systemPrompt'
    | 'title'
    | 'archive'
    | 'authStatus'
    | 'steering'
  )[];
  commands: SlashCommand[];
  config_options: ConfigOption[];
  /**
   * The session that goes on from an earlier turn of this one, where one took its place.
   */
  continues_in: string;
  /**
   * The folder that ``cwd`` is a copy of, where its agent works in the sandbox ``copy``.
   */
  copied_folder: string;
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
   * Where that notebook was before it was renamed or moved.
   */
  former_paths: string[];
  /**
   * Why the next message waits before the agent gets it, in words.
   */
  held: string;
  /**
   * Whether the agent remembers all that is shown; ``gap`` where lines of the log are missing.
   */
  history: 'whole' | 'without' | 'gap';
  /**
   * Which login the agent says it uses, e.g. ``Anthropic API key``.
   */
  logged_in: string;
  /**
   * A login that goes on, or has failed.
   */
  login: LoginState | null;
  /**
   * Whether a turn waits for a look at its folder: the prompt is sent after that.
   */
  looking: boolean;
  /**
   * Name of the model, for agents without a config option for it.
   */
  model: string;
  modes: Mode[];
  /**
   * Whether a person gave the title. The agent's does not replace it then.
   */
  named: boolean;
  /**
   * Why the agent opens no session before somebody logs in; empty where it does.
   */
  needs_login: string;
  /**
   * What was chosen for the sandbox's network.
   */
  network: 'all' | 'none' | 'hosts';
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
   * What was taken back in files when it was made so, in that order.
   */
  reverted: RevertedTurn[];
  /**
   * Of this session; those of its folder are kept elsewhere.
   */
  rules: Rule[];
  /**
   * What was chosen for turns to come.
   */
  sandbox: 'off' | 'folder' | 'read-only' | 'copy';
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
   * Names of the agent's tools, as far as it tells them.
   */
  tools: string[];
  /**
   * What the agent does without asking in its present mode; no policy sees that.
   */
  unasked: '' | 'edits' | 'judged' | 'all';
  updated_at: number | null;
  usage: Usage | null;
  /**
   * Where it is one of several tries of a prompt, in a copy of the folder.
   */
  variant: Variant | null;
  /**
   * Pending permission requests.
   */
  waiting: number;
  /**
   * What holds the agent that runs, or ran last; null where it has no sandbox.
   */
  walls: WallsInForce | null;
}

/**
 * A line of the session list.
 */
export interface SessionSummary {
  agent_id: string;
  agent_name: string;
  archived: boolean;
  /**
   * How much goes on beside its turns.
   */
  background: number;
  /**
   * The session that it goes on from, at an earlier turn; empty where it began anew.
   */
  branched_from: string;
  /**
   * What its agent can do with sessions.
   */
  can: (
    | 'load'
    | 'resume'
    | 'list'
    | 'fork'
    | 'close'
    | 'delete'
    | 'logout'
    | 'http'
    | 'sse'
    | 'acp'
    | 'additionalDirectories'
    | 'systemPrompt'
    | 'title'
    | 'archive'
    | 'authStatus'
    | 'steering'
  )[];
  /**
   * The session that goes on from an earlier turn of this one, where one took its place.
   */
  continues_in: string;
  /**
   * Whether it is one of several tries of a prompt.
   */
  is_variant: boolean;
  notebook_path: string;
  /**
   * Why nothing can be sent from here; empty where it can.
   */
  read_only: string;
  /**
   * Whether new prompts of its notebook's cells to its agent go to it.
   */
  serves_cells: boolean;
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
 * The session list, whole, when it has changed.
 */
export interface SessionsFrame {
  sessions: SessionSummary[];
  type: 'sessions';
}

/**
 * Change a config option, mode, model, policy, sandbox, its network, or the title.
 */
export interface SetConfig {
  config: {
    [k: string]: string | boolean;
  };
  mode: string | null;
  name: 'set_config';
  network: ('all' | 'none' | 'hosts') | null;
  policy: ('ask' | 'read-only' | 'accept-edits' | 'allow-all' | 'deny') | null;
  sandbox: ('off' | 'folder' | 'read-only' | 'copy') | null;
  session_id: string;
  title: string | null;
}

/**
 * Write the outputs of a cell that was run.
 */
export interface SetOutputs {
  cell_id: string;
  execution_count: number | null;
  /**
   * Of the source that ran.
   */
  fingerprint: string;
  op: 'outputs';
  outputs: NbOutput[];
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
 * Why an output is stale.
 */
export interface StaleCause {
  /**
   * The cell that was changed; it may be the stale one itself.
   */
  cell_id: string;
  /**
   * ``set_elsewhere``: it sets a name that came from another cell when this one ran.
   */
  change: 'changed' | 'deleted' | 'set_elsewhere';
  /**
   * The names through which the stale cell depends on it, the stale cell's own first.
   */
  path: NameLink[];
  /**
   * Index of the run whose source is not the cell's any more.
   */
  run: number | null;
}

/**
 * A cell whose output is stale.
 */
export interface StaleCell {
  causes: StaleCause[];
  cell_id: string;
}

/**
 * The cells whose output is not true to the notebook.
 */
export interface StaleCells {
  cells: StaleCell[];
}

/**
 * Begin to make a session of a log; ``get_import`` tells how far it is.
 */
export interface StartImport {
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
  name: 'start_import';
}

/**
 * Put a prompt that waits into the turn that runs; if the agent does not take it, it waits.
 */
export interface Steer {
  name: 'steer';
  /**
   * Of the prompt that waits.
   */
  turn_id: string;
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
 * ACP: a terminal, ours or one that the agent runs itself. Its text is the call's output.
 */
export interface TerminalView {
  /**
   * Who ended it; empty where it ended by itself.
   */
  by: '' | 'agent' | 'user' | 'time_limit' | 'session';
  /**
   * Whether the host runs it for the user, who was asked, and not for the agent.
   */
  by_user: boolean;
  /**
   * Whether the agent, which runs it, ends it for the client.
   */
  can_cancel: boolean;
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
 * One field's text is ``text`` from ``offset`` on, to its end.
 */
export interface TextChanged {
  field: 'text' | 'output';
  item_id: string;
  kind: 'text_changed';
  offset: number;
  /**
   * Rises by at least one; a merged event carries the last.
   */
  seq: number;
  session_id: string;
  text: string;
}

/**
 * Reasoning of the agent, Markdown; or a named step.
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
 * One todo; views show ``active_form`` while it is in progress.
 */
export interface TodoItem {
  active_form: string;
  content: string;
  status: 'pending' | 'in_progress' | 'completed';
}

/**
 * A tool call, joined from everything that named its id.
 */
export interface ToolCall {
  /**
   * Whether it, or its terminal, goes on beside the turns, as far as the agent has said.
   */
  background: boolean;
  blocks: ContentBlockItem[];
  /**
   * Whether the agent ends it alone if it is asked to; only while it is open.
   */
  can_cancel: boolean;
  /**
   * Whether the agent was asked to, and has neither refused nor done it.
   */
  cancelling: boolean;
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
   * Findings of a language server after a write.
   */
  diagnostics: Diagnostic[];
  diffs: Diff[];
  ended_at: number | null;
  exit_code: number | null;
  /**
   * Files that a search found, relative; empty when it found nothing.
   */
  files: string[] | null;
  /**
   * Number of the output's first line, where it was numbered.
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
   * Null where nothing says so.
   */
  is_new_file: boolean | null;
  kind: 'tool_call';
  /**
   * A location without a line is the file's top.
   */
  locations: Location[];
  /**
   * What is being done right now.
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
   * From 0 to 1.
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
   * The child session whose work it is; empty for any other call.
   */
  subagent_session_id: string;
  /**
   * Type of the subagent whose work it is, e.g. ``Explore``.
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
   * The todos, replaced whole; such a call is drawn as that list.
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
   * Whether the tool says that its output is not all.
   */
  truncated: boolean;
  /**
   * The prompt turn it belongs to; null for what came between turns.
   */
  turn_id: string | null;
  /**
   * Kind for views, coarser than the protocol's.
   */
  ui_kind: 'search' | 'read' | 'execute' | 'edit' | 'task' | 'other';
  /**
   * The wall of the sandbox at which it failed.
   */
  wall: Wall | null;
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
   * Its message as indented JSON, or the text of the chunks.
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
  /**
   * Chunks that were gathered; they fill ``size`` bytes from ``place``.
   */
  count: number;
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
   * Names the text that a chunk is part of; empty for what is no chunk.
   */
  stream: string;
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
 * Asked before an agent's first start in a folder. Nothing runs before the answer.
 */
export interface TrustRequest {
  agent_name: string;
  /**
   * Which user answered, where several can; never saved in a notebook.
   */
  answered_by: string;
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
 * A trusted folder; all folders below it are trusted, too.
 */
export interface TrustedFolder {
  /**
   * Time of the trust in Unix seconds; null if it comes from the configuration.
   */
  at: number | null;
  path: string;
}

/**
 * What changed in a turn's folder while it ran; each file has its author.
 */
export interface TurnChanges {
  /**
   * Reverted, or kept from a variant, but already in that state; Undo does not touch it.
   */
  already: string[];
  /**
   * Id of the stored folder; empty if nothing is stored.
   */
  checkpoint: string;
  files: ChangedFile[];
  /**
   * How many more files the turn changed.
   */
  left_out: number;
  made_folders: string[];
  /**
   * Folders created by a revert or a kept variant: Undo removes them if they are empty.
   */
  put_folders: string[];
  revertible: boolean;
  /**
   * How many more files changed without an observed author.
   */
  unknown_left_out: number;
  /**
   * A note for the user, e.g. why it can't be reverted.
   */
  words: string;
}

/**
 * Result of ``get_turn``: a turn and its items.
 */
export interface TurnDetail {
  /**
   * The final output, once the turn is done; with the first items.
   */
  bundle: Bundle | null;
  items: Item[];
  /**
   * What to ask for as ``start`` to get the next items; null where these are the last.
   */
  more: number | null;
  /**
   * Whether a page with the labextension has the turn's notebook open.
   */
  page_holds_notebook: boolean;
  session: SessionState;
  turn: TurnState;
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
   * What the agent says it did.
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
 * Why a turn ended in an error.
 */
export interface TurnFailure {
  detail: string;
  message: string;
  reason: string;
}

/**
 * A turn as it is read from an output: a pointer to it, and a capped copy.
 *
 * Only what the server knows of ``turn_id`` gives a view live state and
 * controls; the copy is drawn without them.
 */
export interface TurnSnapshot {
  agent: AgentInfo;
  final: boolean;
  /**
   * Agent and version, model, mode, policy, sandbox, files changed, tokens.
   */
  footer: string[];
  items: Item[];
  session_id: string;
  session_title: string;
  turn: TurnState;
  turn_id: string;
  version: number;
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
 * A prompt turn.
 */
export interface TurnState {
  /**
   * What it changed in the folder, and what others did; null where nothing was, or is known.
   */
  changes: TurnChanges | null;
  /**
   * Why it is not known what it changed; empty where that is known.
   */
  changes_unknown: string;
  /**
   * Where it was taken over from another session: the turn that it is a copy of.
   */
  copy_of: CopiedTurn | null;
  ended_at: number | null;
  failure: TurnFailure | null;
  /**
   * Whether it worked in a copy that lasts with its session: what is kept is in the folder.
   */
  in_copy: boolean;
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
  sandbox: 'off' | 'folder' | 'read-only' | 'copy';
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
  /**
   * Which of several tries of its prompt it is, from 1; 0 where it is the only one.
   */
  variant: number;
  words: string;
}

/**
 * Take a session out of the archive. ACP: session/unarchive.
 */
export interface UnarchiveSession {
  name: 'unarchive_session';
  session_id: string;
}

/**
 * Go on where it was before: in the earlier session, with the files as they were there.
 *
 * What turns of this session have changed is taken back, too.
 */
export interface UndoRewind {
  /**
   * Whether files are put back, where they went back.
   */
  files: boolean;
  name: 'undo_rewind';
  /**
   * The session that was made.
   */
  session_id: string;
}

/**
 * Stop following a session.
 */
export interface UnsubscribeFrame {
  session_id: string;
  type: 'unsubscribe';
}

/**
 * Download a newer list of the public registry, where that is allowed.
 */
export interface UpdateRegistry {
  name: 'update_registry';
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
  /**
   * Whether it was said while the turn ran: it stands where the agent took it.
   */
  steered: boolean;
  text: string;
  /**
   * The prompt turn it belongs to; null for what came between turns.
   */
  turn_id: string | null;
}

/**
 * Which variant of a prompt a session is; it works in a copy of the folder.
 */
export interface Variant {
  /**
   * Whether that kernel begins without variables although they were requested.
   */
  begins_empty: boolean;
  /**
   * The folder that was copied; absolute.
   */
  folder: string;
  /**
   * The variant's own kernel, or why it has none, as text.
   */
  kernel: string;
  /**
   * What the copy leaves out, as text.
   */
  left_out: string;
  /**
   * Counts from 1.
   */
  number: number;
  /**
   * Id of the prompt, the same for all its variants.
   */
  try_id: string;
}

/**
 * The wall of the sandbox that a tool call failed at.
 */
export interface Wall {
  /**
   * The folder of the environment that the command would change; absolute.
   */
  environment: string;
  offers: '' | 'outside' | 'environment';
  /**
   * What the call tried to reach; an absolute path, or empty for the network.
   */
  path: string;
  /**
   * The tool call in which the command ran again for the user; empty until it does.
   */
  run_id: string;
  /**
   * Which wall it was, as a sentence.
   */
  words: string;
}

/**
 * The sandbox that the agent's processes run in.
 */
export interface WallsInForce {
  level: 'full' | 'partial' | 'none';
  network: 'all' | 'none' | 'hosts';
  sandbox: 'off' | 'folder' | 'read-only' | 'copy';
  /**
   * Why it is not enforced, or not better: a sentence that says what to do.
   */
  why: string;
}

/**
 * A rule that allows more than the one request asks for.
 */
export interface WiderRule {
  /**
   * As it is written, e.g. ``edit:src/**``.
   */
  text: string;
  /**
   * E.g. ``Files in src``.
   */
  words: string;
}

/**
 * The ask of this id is over: nothing may be changed for it any more. Not answered.
 */
export interface Withdraw {
  op: 'withdraw';
}

/**
 * Make this the document's text, changing only what differs, and save it.
 */
export interface WriteDocument {
  /**
   * The text that was changed into this one; None for the one on disk. What the user has
   * changed since stays, or it is refused as ``conflict``.
   */
  base: string | null;
  op: 'write_document';
  text: string;
}
