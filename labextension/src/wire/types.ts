/* Made by `make gen` from the models in acp_jupyter; edit those. */

/** Version of the wire; page and server must have the same. */
export const API_VERSION = 1;

/** What the page has drawn; flushes slow down while it lags. */
export interface AckFrame {
  seq: number;
  session_id: string;
  type: 'ack';
}

/** The ``metadata.acp`` of a cell that an agent wrote. */
export interface AcpMark {
  agent: string;
  turn: string;
  /** Fingerprint of the source that it wrote; if it differs, somebody else has changed the source since. */
  written: string;
}

/** Result of ``list_agents``, one agent. */
export interface AgentEntry {
  detail: string;
  id: string;
  /** The command that installs it, to type in a terminal. */
  install: string;
  /** Whether it is known only from the public registry. */
  listed: boolean;
  /** Login methods, if it needs a login. */
  methods: AuthMethod[];
  name: string;
  /** Notes for the user: what it needs, what is checked, what is not. */
  notes: string[];
  /** The package, with its version, that may be downloaded after a click. */
  package: string;
  /** The command that will then run. */
  run: string;
  status: 'ready' | 'needs_login' | 'not_installed' | 'broken';
  website: string;
}

/** The agent of a session. */
export interface AgentInfo {
  /** The configured id. */
  id: string;
  /** The name for people; the agent's own title once it is known. */
  name: string;
  version: string;
}

/** The agent's text, as Markdown. */
export interface AgentMessage {
  /** Unique in its session. */
  id: string;
  kind: 'agent_message';
  /** Whether more text may follow. */
  open: boolean;
  /** Id of the tool call whose subagent made it; the call is earlier in the same turn. */
  parent_id: string;
  text: string;
  /** The turn that it belongs to; null for items between turns. */
  turn_id: string | null;
}

/** A session that an agent stores. */
export interface AgentSession {
  agent_session_id: string;
  /** Whether it is in the agent's archive. */
  archived: boolean;
  cwd: string;
  /** Our id of it, if it is known here. */
  session_id: string;
  title: string;
  /** ISO 8601, as the agent sent it. */
  updated_at: string;
}

/** Result of ``list_agent_sessions``. */
export interface AgentSessions {
  next_cursor: string;
  sessions: AgentSession[];
}

/** Allow a package to be downloaded and run, as shown to the user. */
export interface AllowDownload {
  agent: string;
  name: 'allow_download';
  /** The package with its version. */
  package: string;
  /** The command as shown; refused unless it is still the same. */
  run?: string | null;
}

/** Answer a question of the agent, once. */
export interface AnswerElicitation {
  action: 'accept' | 'decline' | 'cancel';
  /** Values of an accepted form, by field name. */
  content?: {
    [k: string]: JsonValue;
  };
  name: 'answer_elicitation';
  request_id: string;
  session_id: string;
}

/** The answer to an ask: a result, or a refusal. */
export interface AnswerFrame {
  /** Why it was not done, as text. */
  error: string | null;
  id: number;
  /** Result of ``read_notebook`` and ``edit_notebook``. */
  notebook: NotebookState | null;
  /** The same as a stable word: ``no_document`` if another page may have it open. */
  reason: string;
  /** Why cells were not changed. */
  refusal: NotebookRefusal | null;
  /** Result of ``read_document``. */
  text: string | null;
  type: 'answer';
}

/** Answer a permission request, once. */
export interface AnswerPermission {
  name: 'answer_permission';
  option_id?: string | null;
  outcome?: 'cancelled' | null;
  /** Why it is rejected; sent to the agent as the next message. */
  reason?: string;
  /** Remember the answer, as the request's ``rule`` says. */
  remember?: ('session' | 'workspace') | null;
  request_id: string;
  session_id: string;
  /** Remember this one of the request's ``wider_rules`` instead. */
  wider_rule?: string;
}

/** Result of ``archive_session`` and ``unarchive_session``. */
export interface ArchiveReply {
  /** Why the agent's copy was not archived or unarchived along, as text; empty if it was. */
  message: string;
}

/** Close and archive a session, including its agent's copy. */
export interface ArchiveSession {
  name: 'archive_session';
  session_id: string;
}

/** A file or folder that the agent made and that is worth opening. */
export interface Artifact {
  artifact_id: string;
  download_url: string;
  /** Unique in its session. */
  id: string;
  kind: 'artifact';
  mime_type: string;
  name: string;
  /** Relative to the session's folder if it is inside. */
  path: string;
  /** A complete URL; empty if there is no preview. */
  preview_url: string;
  /** The size for people, e.g. ``4.1 kB``. */
  size: string;
  size_bytes: number | null;
  /** The turn that it belongs to; null for items between turns. */
  turn_id: string | null;
  type:
    'web_app' | 'markdown' | 'image' | 'csv' | 'excel' | 'pptx' | 'docx' | 'pdf' | 'code' | 'other';
  /** The type for people, e.g. ``CSV``. */
  type_name: string;
}

/** A request to the page about an open document; an answer frame answers it. */
export interface AskFrame {
  /** After this time another page is asked, and this one must not change anything. */
  deadline_seconds: number;
  id: number;
  path: string;
  question: DocumentQuestion;
  type: 'ask';
}

/** Ask whether a cell's output belongs to this turn's own cell. */
export interface AttachTurn {
  cell_id: string;
  name: 'attach_turn';
  notebook_path: string;
  turn_id: string;
}

/** Result of ``attach_turn``. */
export interface AttachedTurn {
  /** Index of the turn's first item in the whole transcript. */
  first_index: number;
  session_id: string;
  turn: TurnState;
}

/** What goes along with a prompt: a content block after its text. */
export interface Attachment {
  /** Whether a part was left out because it is long; its text says so. */
  cut: boolean;
  mime_type: string;
  name: string;
  /** In bytes; null if the agent reads it itself, and for logs of earlier versions. */
  size: number | null;
  type: 'image' | 'audio' | 'resource_link' | 'resource' | 'text';
  uri: string;
}

/** ACP: auth methods in the response to ``initialize``. */
export interface AuthMethod {
  /** What a login in a terminal adds to the agent's command: variables and arguments. */
  adds: string;
  description: string;
  id: string;
  /** Who performs the login: the agent itself, its own program in a terminal, or a variable. */
  kind: 'agent' | 'terminal' | 'env_var' | 'other';
  /** Where to get a key. */
  link: string;
  name: string;
  variables: AuthVariable[];
}

/** An environment variable with a secret for an agent. */
export interface AuthVariable {
  label: string;
  name: string;
  optional: boolean;
  secret: boolean;
}

/** The session that this one continues, and the turn that it branched off before. */
export interface Branch {
  /** Turns of other sessions that were reverted along with it, or with earlier sessions. */
  also: string[];
  /** Whether files were restored, too. */
  files: boolean;
  session_id: string;
  /** The turn whose prompt carries the earlier conversation; empty until it is sent. */
  told_in: string;
  turn_id: string;
}

/** A Jupyter MIME bundle. */
export interface Bundle {
  data: {
    [k: string]: JsonValue;
  };
  metadata: {
    [k: string]: JsonValue;
  };
}

/** Stop a running or queued turn; without ``turn_id``, the running one. */
export interface Cancel {
  name: 'cancel';
  reason?: 'user' | 'time_limit' | 'nobody';
  session_id: string;
  turn_id?: string | null;
}

/** Cancel an import; its session is removed. */
export interface CancelImport {
  import_id: string;
  name: 'cancel_import';
}

/** Cancel a running login. */
export interface CancelLogin {
  name: 'cancel_login';
  session_id: string;
}

/** Cancel one tool call, or its terminal; a running turn continues. */
export interface CancelToolCall {
  name: 'cancel_tool_call';
  session_id: string;
  tool_call_id: string;
}

/** One cell in its current state. */
export interface Cell {
  /** The mark of the agent that wrote it, if one did. */
  acp: AcpMark | null;
  cell_type: 'code' | 'markdown' | 'raw';
  /** Whether the user pinned it or left it out, as its metadata says. */
  context: ('pinned' | 'left-out') | null;
  execution_count: number | null;
  id: string;
  outputs: NbOutput[];
  source: string;
}

export type CellEdit = InsertCell | ReplaceSource | MoveCell | DeleteCell | SetOutputs;

/** The error that a prompt is about, and the cell that failed with it. */
export interface CellError {
  /** As in a traceback, e.g. ``In[4]``; empty if unknown. */
  cell: string;
  cell_id: string;
  /** Longest error message, on one line. */
  words: string;
}

/** A cell's place, without its content. */
export interface CellPlace {
  cell_id: string;
  context: ('pinned' | 'left-out') | null;
  execution_count: number | null;
  /** Counted from 1. */
  number: number;
}

/** A cell that was run, with its source at that time. */
export interface CellRun {
  cell_id: string;
  /** Counts the kernel's starts: what was set before one is gone. */
  kernel: number;
  source: string;
}

/** What happened to one file in a turn. */
export interface ChangedFile {
  /** Lines; null if they were not counted. */
  added: number | null;
  author: '' | 'agent' | 'another' | 'you' | 'unknown';
  binary: boolean;
  /** Where the content that it replaced was before the turn, if that was not stored: a revert moves it back. */
  came_from: string;
  /** ``type``: a file became a link, or a link a file. */
  change: 'added' | 'modified' | 'deleted' | 'renamed' | 'type';
  /** Whether it can be reverted. */
  kept: boolean;
  /** Of a file in a copy that isn't kept as a whole: the changes that are in the folder. */
  kept_hunks: Hunk[];
  /** Its permission bits after the turn. */
  new_mode: number | null;
  new_text_id: string;
  /** Its permission bits before the turn. */
  old_mode: number | null;
  /** Its old path, if it was renamed. */
  old_path: string;
  /** The same for equal content; empty if unknown. */
  old_text_id: string;
  /** Relative to the session's folder, with forward slashes; absolute outside it. */
  path: string;
  removed: number | null;
  reverted: boolean;
  /** What was reverted of it, in order; a reverted file keeps them for Undo. */
  reverted_hunks: Hunk[];
  /** In bytes: after the turn, or before it if the file is gone. */
  size: number | null;
  /** Earlier turns that it was reverted with: these lines are from before the first of them. */
  together: string[];
  /** Why not. */
  words: string;
  /** Whether a user saved other changes to the file while the turn ran: those are not the turn's. */
  yours_too: boolean;
}

/** Result of ``get_changes``. */
export interface ChangesReply {
  files: FileTexts[];
  /** Whether the folder has checkpoints; if not, ``files`` has only observed changes. */
  known: boolean;
  patch: string | null;
  revertible: boolean;
  turn_id: string;
  words: string;
}

/** Result of ``list_changing_sessions``. */
export interface ChangingSessions {
  /** The ones that changed it last; the newest last. */
  session_ids: string[];
}

/** Nothing more comes. */
export interface CheckEnded {
  type: 'ended';
  /** Why not all cells were run. */
  words: string;
}

export type CheckLine = CheckStarted | CheckedCellStarted | CheckedCell | CheckEnded;

/** The second kernel runs. */
export interface CheckStarted {
  /** How many code cells there are. */
  cells: number;
  type: 'started';
}

/** A code cell after its run in the second kernel. */
export interface CheckedCell {
  cell_id: string;
  differences: OutputDifference[];
  /** Its place in the notebook, from 1. */
  number: number;
  /** Why it was skipped or has failed. */
  reason: string;
  type: 'cell';
  verdict: 'same' | 'different' | 'failed' | 'skipped';
}

/** A cell runs. */
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

/** Close a session; it stays stored, and can be opened again. */
export interface CloseSession {
  name: 'close_session';
  session_id: string;
}

/** A code cell as it is now. */
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
  | GetUsage
  | SessionCommand
  | PromptSession
  | Cancel
  | AnswerPermission
  | SetConfig
  | GetItems
  | GetCell
  | GetContext
  | RedactText
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
  | ListChangingSessions
  | RevertTurn
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
  | FindStale
  | RewindSession
  | UndoRewind
  | GetHistory
  | MakeOutsideKey
  | ListOutsideKeys
  | RevokeOutsideKey
  | ReadPromptCell
  | RunPromptCell
  | ListPrompts
  | CreateVariant;

/** A command; a reply with the same id answers it. */
export interface CommandFrame {
  command: Command;
  id: number;
  type: 'command';
}

/** One value of a select option. */
export interface ConfigChoice {
  description: string;
  group: string;
  name: string;
  value: string;
}

/** ACP: session config options. */
export interface ConfigOption {
  category: string;
  choices: ConfigChoice[];
  current_value: string | boolean;
  description: string;
  id: string;
  name: string;
  type: 'select' | 'boolean';
}

/** A content block that is not text: image, audio, resource, resource link. */
export interface ContentBlockItem {
  /** Base64 of images and audio. */
  data: string;
  /** Unique in its session. */
  id: string;
  kind: 'content_block';
  mime_type: string;
  name: string;
  /** Id of the tool call whose subagent made it; the call is earlier in the same turn. */
  parent_id: string;
  size: number | null;
  text: string;
  /** The turn that it belongs to; null for items between turns. */
  turn_id: string | null;
  type: 'image' | 'audio' | 'resource_link' | 'resource' | 'other';
  uri: string;
}

/** The turn that this one is a copy of, in a session made from an earlier one. */
export interface CopiedTurn {
  /** The cell that it came from, and that shows it. */
  cell_id: string;
  /** Id of the first original: its changes are stored under that id. */
  turn_id: string;
}

/** An amount of money. */
export interface Cost {
  amount: number;
  /** Three letters; empty if the agent named no currency. */
  currency: string;
}

/** Create a session, or find one. */
export interface CreateSession {
  agent: string;
  /** Whether the user can be asked about the folder. */
  ask_trust?: boolean;
  /** Absolute or relative to the server's root; default: chosen from the notebook. */
  cwd?: string | null;
  /** Whether its agent works in a copy of the folder, which lasts as long as the session. */
  in_copy?: boolean | null;
  label?: string;
  mode?: string | null;
  model?: string | null;
  name: 'create_session';
  /** Network of a new session's sandbox; a kernel can only restrict it. */
  network?: ('all' | 'none' | 'hosts') | null;
  new?: boolean;
  notebook_path?: string;
  /** Policy of a new session; from a kernel, of the kernel's own prompts. */
  policy?: ('ask' | 'read-only' | 'accept-edits' | 'allow-all' | 'deny') | null;
  /** Whether to record the session, or to replay its recording instead of the agent. */
  record?: RecordingOptions | null;
  /** Sandbox of a new session; from a kernel, of the kernel's own prompts. */
  sandbox?: ('off' | 'folder' | 'read-only' | 'copy') | null;
  /** When the agent's process starts: before the reply, in parallel, or at the first prompt. */
  start?: 'wait' | 'background' | 'lazy';
  /** Whether to offer the agent tools for the session's notebook and its kernel. */
  tools?: boolean;
  /** Whether agents may run in the folder; from a kernel, this counts for prompts of kernels. */
  trust?: boolean;
}

/** Create a session for one turn in a copy of the folder. */
export interface CreateVariant {
  agent: string;
  ask_trust?: boolean;
  /** The cell that asks: ``rerun`` runs the cells above it. */
  cell_id?: string;
  /** The folder to copy, absolute or relative to the server's root; default: chosen from the notebook. */
  cwd?: string | null;
  name: 'create_variant';
  /** Network of the sandbox, with the same default. */
  network?: ('all' | 'none' | 'hosts') | null;
  notebook_path?: string;
  /** What that kernel begins with. */
  restore?: 'dill' | 'rerun' | 'none';
  /** Default: that of the notebook's session with this agent, else as for a new session. */
  sandbox?: ('off' | 'folder' | 'read-only' | 'copy') | null;
  /** Whether the agent gets the notebook tools, and so a kernel. */
  tools?: boolean;
  /** Whether agents may run in the folder and its copies; see ``create_session``. */
  trust?: boolean;
  /** The same for all variants of a prompt; empty for the first one. */
  try_id?: string;
}

/** Delete a cell. */
export interface DeleteCell {
  /** Id of the agent that deletes it. */
  acp: AcpMark;
  cell_id: string;
  fingerprint: string;
  op: 'delete';
}

/** Close a session and delete everything stored about it. */
export interface DeleteSession {
  name: 'delete_session';
  session_id: string;
}

/** A field of a tool's input that the card does not show elsewhere. */
export interface Detail {
  name: string;
  value: string;
}

/** A diagnostic of a language server after a write. */
export interface Diagnostic {
  /** From 1. */
  line: number | null;
  message: string;
  path: string;
  severity: 'error' | 'warning' | 'info';
}

/** One file change as the agent reported it. */
export interface Diff {
  /** Lines added; null if the file is too large to compare here. */
  added: number | null;
  is_new_file: boolean;
  new_line: number | null;
  new_text: string;
  /** Line of the file at which the texts begin; null for a part at an unknown position. */
  old_line: number | null;
  /** Null for a new file. */
  old_text: string | null;
  path: string;
  removed: number | null;
}

export type DocumentQuestion =
  ReadDocument | WriteDocument | SaveDocument | ReadNotebook | EditNotebook | Withdraw;

/** An open document of the page. */
export interface DocumentState {
  dirty: boolean;
  /** When it last had the focus, in seconds since the epoch; 0 for never. */
  focused_at: number;
  path: string;
}

/** All open documents of the page; sent as a whole on each change. */
export interface DocumentsFrame {
  documents: DocumentState[];
  type: 'documents';
}

/** Make all these changes and save, or none of them. */
export interface EditNotebook {
  edits: CellEdit[];
  /** The sources that cells must have, by the cells' ids; otherwise nothing is changed. */
  expected: {
    [k: string]: string;
  };
  op: 'edit_notebook';
}

/** Edit a queued prompt; new text keeps the attachments. */
export interface EditQueued {
  name: 'edit_queued';
  /** Text, or ACP content blocks. */
  prompt:
    | string
    | {
        [k: string]: JsonValue;
      }[];
  turn_id: string;
}

/** A form to fill in, or a page to open. */
export interface Elicitation {
  /** The user who answered, if several can; never saved in a notebook. */
  answered_by: string;
  /** The answers as they are saved, without secrets. */
  answers: ElicitationAnswer[];
  asked_at: number | null;
  description: string;
  fields: ElicitationField[];
  heading: string;
  /** The host that ``url`` really leads to. */
  host: string;
  id: string;
  kind: 'elicitation';
  message: string;
  mode: 'form' | 'url' | 'other';
  /** The outcome, as text. */
  outcome: string;
  /** The id for answers; unique in its session. */
  request_id: string;
  state: 'pending' | 'accepted' | 'declined' | 'cancelled' | 'expired';
  /** Title with the agent's name, e.g. ``Question from Demo``. */
  title: string;
  tool_call_id: string;
  turn_id: string | null;
  url: string;
}

/** The answer in one field, as text. */
export interface ElicitationAnswer {
  label: string;
  name: string;
  text: string;
}

/** One of the values that a field offers. */
export interface ElicitationChoice {
  description: string;
  label: string;
  value: string;
}

/** A field of a form. */
export interface ElicitationField {
  choices: ElicitationChoice[];
  default: FieldValue | null;
  description: string;
  /** ``email``, ``uri``, ``date``, ``date-time``, or a format that is not checked. */
  format: string;
  label: string;
  max_items: number | null;
  max_length: number | null;
  maximum: number | null;
  min_items: number | null;
  min_length: number | null;
  minimum: number | null;
  /** The field's key in the answer. */
  name: string;
  pattern: string;
  required: boolean;
  /** Whether the field's name suggests that the answer is a secret, which must not be stored. */
  secret: boolean;
  /** ``unknown`` is shown as a text field. */
  type: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices' | 'unknown';
  /** What to tell the user about an unknown type. */
  words: string;
}

/** An error, the same on every route. */
export interface ErrorBody {
  detail: string;
  /** What is wrong with each field of a form, by field name. */
  fields: {
    [k: string]: string;
  };
  message: string;
  reason: string;
  status: number;
}

/** A frame was invalid, or a session is unknown. */
export interface ErrorFrame {
  error: ErrorBody;
  session_id: string;
  type: 'error';
}

/** An error: what went wrong, what it means, what to do. */
export interface ErrorItem {
  code: string;
  /** Details, e.g. the last lines of the agent's stderr. */
  detail: string;
  /** Unique in its session. */
  id: string;
  kind: 'error';
  message: string;
  reason: string;
  /** The turn that it belongs to; null for items between turns. */
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

/** One batch of a session's events. */
export interface EventsFrame {
  events: Event[];
  session_id: string;
  type: 'events';
}

export type FieldValue = string | boolean | number | string[];

/** Some of the changes in one file. */
export interface FileHunks {
  /** @maxItems 10000 */
  hunks: Hunk[];
  path: string;
}

/** A changed file with its text. */
export interface FileTexts {
  /** Lines; null if they were not counted. */
  added: number | null;
  author: '' | 'agent' | 'another' | 'you' | 'unknown';
  binary: boolean;
  /** Where the content that it replaced was before the turn, if that was not stored: a revert moves it back. */
  came_from: string;
  /** ``type``: a file became a link, or a link a file. */
  change: 'added' | 'modified' | 'deleted' | 'renamed' | 'type';
  /** Ids of a notebook's cells that others changed after a tool wrote them in this turn. */
  edited_cells: string[];
  /** Whether it can be reverted. */
  kept: boolean;
  /** Of a file in a copy that isn't kept as a whole: the changes that are in the folder. */
  kept_hunks: Hunk[];
  /** Its permission bits after the turn. */
  new_mode: number | null;
  new_text: string | null;
  new_text_id: string;
  /** Its permission bits before the turn. */
  old_mode: number | null;
  /** Its old path, if it was renamed. */
  old_path: string;
  /** Null for a new file, and for one that is not text or is too large. */
  old_text: string | null;
  /** The same for equal content; empty if unknown. */
  old_text_id: string;
  /** Relative to the session's folder, with forward slashes; absolute outside it. */
  path: string;
  removed: number | null;
  reverted: boolean;
  /** What was reverted of it, in order; a reverted file keeps them for Undo. */
  reverted_hunks: Hunk[];
  /** In bytes: after the turn, or before it if the file is gone. */
  size: number | null;
  /** Earlier turns that it was reverted with: these lines are from before the first of them. */
  together: string[];
  too_large: boolean;
  /** Why not. */
  words: string;
  /** Whether a user saved other changes to the file while the turn ran: those are not the turn's. */
  yours_too: boolean;
}

/** A file at one time, and before the first turn. */
export interface FileThen {
  /** Lines; null if they were not counted. */
  added: number | null;
  author: '' | 'agent' | 'another' | 'you' | 'unknown';
  binary: boolean;
  /** Where the content that it replaced was before the turn, if that was not stored: a revert moves it back. */
  came_from: string;
  /** ``type``: a file became a link, or a link a file. */
  change: 'added' | 'modified' | 'deleted' | 'renamed' | 'type';
  /** Ids of a notebook's cells that others changed after a tool wrote them in this turn. */
  edited_cells: string[];
  /** Whether it can be reverted. */
  kept: boolean;
  /** Of a file in a copy that isn't kept as a whole: the changes that are in the folder. */
  kept_hunks: Hunk[];
  /** MIME type of ``picture``. */
  media_type: string;
  /** Its permission bits after the turn. */
  new_mode: number | null;
  new_text: string | null;
  new_text_id: string;
  /** Its permission bits before the turn. */
  old_mode: number | null;
  /** Its old path, if it was renamed. */
  old_path: string;
  /** Null for a new file, and for one that is not text or is too large. */
  old_text: string | null;
  /** The same for equal content; empty if unknown. */
  old_text_id: string;
  /** Relative to the session's folder, with forward slashes; absolute outside it. */
  path: string;
  /** The picture in base64, if it was one. */
  picture: string;
  removed: number | null;
  reverted: boolean;
  /** What was reverted of it, in order; a reverted file keeps them for Undo. */
  reverted_hunks: Hunk[];
  /** In bytes: after the turn, or before it if the file is gone. */
  size: number | null;
  /** Earlier turns that it was reverted with: these lines are from before the first of them. */
  together: string[];
  too_large: boolean;
  /** Why not. */
  words: string;
  /** Whether a user saved other changes to the file while the turn ran: those are not the turn's. */
  yours_too: boolean;
}

/** A file that was written. */
export interface FileWriteItem {
  /** Unique in its session. */
  id: string;
  kind: 'file_write';
  path: string;
  /** The path for people. */
  size: string;
  size_bytes: number | null;
  /** The verb, e.g. ``Created``. */
  title: string;
  /** The turn that it belongs to; null for items between turns. */
  turn_id: string | null;
}

/** Compare what cells ran with what they contain now. */
export interface FindStale {
  /**
   * The notebook's code cells, in its order.
   *
   * @maxItems 5000
   */
  cells: CodeCell[];
  name: 'find_stale';
  /** Whether the cells are Python; names of other languages are not read. */
  python?: boolean;
  /**
   * The runs of cells, oldest first.
   *
   * @maxItems 2000
   */
  runs: CellRun[];
}

/** Create a session that continues from the current state of another. */
export interface ForkSession {
  name: 'fork_session';
  session_id: string;
}

/** Result of ``search_sessions``. */
export interface FoundSessions {
  /** Whether there may be more hits: in a session with many, or with a very long log. */
  cut: boolean;
  hits: FoundText[];
  /** Cursor for the next call; empty when all sessions were searched. */
  next_cursor: string;
  /** Sessions searched so far, including earlier calls. */
  searched: number;
  total: number;
}

/** A hit in a session. */
export interface FoundText {
  /** and the text just after it. */
  after: string;
  /** The text just before the hit, */
  before: string;
  /** the hit itself, */
  match: string;
  session_id: string;
  /** Empty if the turn is unknown. */
  turn_id: string;
  where: 'prompt' | 'answer';
}

/** Get a cell of the session's notebook as a page shows it, e.g. for ``@cell 3`` in a prompt. */
export interface GetCell {
  name: 'get_cell';
  number: number;
  session_id: string;
}

/** Get what changed while a turn ran, with the author of each change, as of its end. */
export interface GetChanges {
  /**
   * Earlier turns, oldest first: the file is compared with its state before them.
   *
   * @maxItems 1000
   */
  earlier?: string[];
  /** Each file's text before and after, or one patch for ``git apply``. */
  form?: 'texts' | 'patch';
  name: 'get_changes';
  /** Only this file. */
  path?: string | null;
  turn_id: string;
}

/** Get what the user set for the cells of a notebook: what is pinned, what is left out. */
export interface GetContext {
  name: 'get_context';
  /** For a kernel, its own notebook counts. */
  notebook_path?: string;
  /** A session of it, if one is open: what is pinned is as its next prompt has it. */
  session_id?: string;
}

/** The turns of a notebook; or files and cells as they were after one of them. */
export interface GetHistory {
  /** Whether to show the state before the turn instead of after it. */
  before?: boolean;
  name: 'get_history';
  notebook_path: string;
  /** One of the files at that time, with its text. */
  path?: string;
  /** The turn; empty for the list of turns. */
  turn_id?: string;
}

/** Get the progress of an import; waits for its end up to ``wait_seconds``. */
export interface GetImport {
  import_id: string;
  name: 'get_import';
  wait_seconds: number;
}

/** Get items by index, to read those before the snapshot's window. */
export interface GetItems {
  end: number;
  name: 'get_items';
  session_id: string;
  start: number;
  /** A turn of this session: ``start`` and ``end`` then count from its first item. */
  turn_id?: string;
}

/** Get the list of the public registry that is in use. */
export interface GetRegistry {
  name: 'get_registry';
}

/** Get the sandboxes that agents can have here, and how well they are enforced. */
export interface GetSandboxes {
  name: 'get_sandboxes';
}

/** Get the turns of a notebook, as output bundles by cell. */
export interface GetSavedOutputs {
  /** Only turns that have changed since: the ``number`` of an earlier result, with its epoch. */
  after?: number | null;
  /** Without ``after``: leave out turns that ended before this time, in seconds since the epoch. */
  ended_after?: number | null;
  epoch?: string;
  name: 'get_records';
  notebook_path: string;
  /** Which turns to include, also those without a cell; by default those of all its cells. */
  turn_ids?: string[] | null;
  /**
   * Turns that are running according to the notebook; they are not left out.
   *
   * @maxItems 1000
   */
  unfinished?: string[];
}

/** Get a session's state. */
export interface GetSession {
  name: 'get_session';
  session_id: string;
}

/** Get lines of a session's traffic log that pass the filters, in order. */
export interface GetTraffic {
  /** Read forward from this position: a page's ``end``. */
  after?: number | null;
  /** Read backward from this position: a page's ``start``. */
  before?: number | null;
  direction?: ('>' | '<' | '!') | null;
  /** Whether consecutive chunks of one stream are joined into one line. */
  gather?: boolean;
  limit?: number;
  /** A part of the method, the kind of update or the kind of note. */
  method?: string;
  name: 'get_traffic';
  session_id: string;
  /** Text that the line must contain; case is ignored. */
  text?: string;
  /** How long to wait if there is nothing after ``after`` yet. */
  wait_seconds?: number;
}

/** Get one line of the log, formatted; or the text of joined chunks. */
export interface GetTrafficLine {
  /** Where the joined chunks end. */
  end?: number | null;
  name: 'get_traffic_line';
  place: number;
  session_id: string;
}

/** Get a whole transcript for export, without secrets and local paths. */
export interface GetTranscript {
  /** ``shared`` is HTML that looks as in JupyterLab, and can be played step by step. */
  format?: 'json' | 'markdown' | 'html' | 'shared';
  name: 'get_transcript';
  session_id: string;
  /** Whether Markdown and HTML include the agent's reasoning. */
  thoughts?: boolean;
  /** Only this turn; ``last`` is the newest that was sent. */
  turn_id?: string;
}

/** Get a turn with its items; waits for its end up to ``wait_seconds``. */
export interface GetTurn {
  name: 'get_turn';
  /** For the next part: the last one's ``more``. */
  start?: number | null;
  turn_id: string;
  wait_seconds?: number;
}

/** Say what today's turns used in all sessions, and what one session used. */
export interface GetUsage {
  name: 'get_usage';
  /** The session; empty for today only. */
  session_id?: string;
}

/** The first frame of a connection. */
export interface HelloFrame {
  api_version: number;
  epoch: string;
  sessions: SessionSummary[];
  type: 'hello';
  /** The page's user, if there are several; empty if users have no names. */
  user: string;
  version: string;
}

/** Result of ``get_history``: the requested part. */
export interface History {
  file: FileThen | null;
  moment: HistoryMoment | null;
  /** Oldest first. */
  steps: HistoryStep[];
}

/** A session's folder and the notebook at one time. */
export interface HistoryMoment {
  /** The cells, with the outputs that can be shown: text and pictures. */
  cells: Cell[];
  /** Why there are no cells. */
  cells_words: string;
  /** Files that differ from those before the first turn, whoever changed them. */
  files: ChangedFile[];
  /** Language of its kernel, from the notebook's metadata, e.g. ``python``. */
  language: string;
  /** How many more there are. */
  left_out: number;
  /** The notebook's path at that time, relative to the folder. */
  notebook_path: string;
  /** Why they can't be shown; empty if they can. */
  words: string;
}

/** A turn of a notebook. */
export interface HistoryStep {
  agent_name: string;
  /** How many files it changed. */
  files: number;
  /** Whether files and cells after it can be shown. */
  kept: boolean;
  /** The beginning of its prompt. */
  prompt: string;
  /** Whether it is still running, so that its changes are not known yet. */
  running: boolean;
  session_id: string;
  started_at: number | null;
  turn_id: string;
}

/** One change in a file: a range of lines before the turn, and the range that replaced it. */
export interface Hunk {
  new_end: number;
  new_start: number;
  old_end: number;
  old_start: number;
}

/** Import a log as a session, which can be read but has no agent. */
export interface ImportLog {
  content: string;
  /** Its format; by default it is recognised. */
  dialect: ('traffic' | 'packets' | 'build-mode' | 'claude-cli') | null;
  file_name: string;
  /** Which of its sessions, by its ACP id; by default the one with most lines. */
  log_session: string;
  name: 'import_log';
}

/** The progress of an import. */
export interface ImportProgress {
  bytes_read: number;
  bytes_total: number;
  file_name: string;
  import_id: string;
  /** Lines of the file that this stage has read. */
  lines: number;
  /** Whether it is recognising the log's format, or reading it. */
  stage: 'survey' | 'read';
}

/** All running imports, after a change; none are running at first. */
export interface ImportsFrame {
  imports: ImportProgress[];
  type: 'imports';
}

/** Add a cell. */
export interface InsertCell {
  acp: AcpMark;
  /** Id of the cell above, which this list may insert, too; None: first. */
  after: string | null;
  /** Id of the new cell; no other cell of the notebook has it. */
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

/** A new item at the end. */
export interface ItemAdded {
  index: number;
  item: Item;
  kind: 'item_added';
  /** Increases by at least one; a merged event has the last number. */
  seq: number;
  session_id: string;
}

/** A message or thought is complete. */
export interface ItemClosed {
  at: number;
  item_id: string;
  kind: 'item_closed';
  /** Increases by at least one; a merged event has the last number. */
  seq: number;
  session_id: string;
}

/** An item has changed in any other way. */
export interface ItemReplaced {
  item: Item;
  kind: 'item_replaced';
  /** Increases by at least one; a merged event has the last number. */
  seq: number;
  session_id: string;
}

/** Result of ``get_items``. */
export interface ItemsPage {
  first_index: number;
  items: Item[];
  total: number;
}

export type JsonValue = unknown;

/** Apply what a turn has changed in a copy to the folder that was copied, or remove it again. */
export interface KeepVariant {
  /**
   * Parts of files, in place of whole ones.
   *
   * @maxItems 200
   */
  hunks?: FileHunks[];
  name: 'keep_variant';
  /** Which files; default: all that can be kept. */
  paths?: string[] | null;
  turn_id: string;
  undo?: boolean;
}

/** End a command that the host runs for the agent; its output stays. */
export interface KillTerminal {
  name: 'kill_terminal';
  session_id: string;
  terminal_id: string;
}

/** List the sessions that an agent stores. */
export interface ListAgentSessions {
  agent: string;
  /** Whether to include the agent's archive. */
  archived?: boolean;
  cursor?: string;
  /** Absolute or relative to the server's root, which is the default. */
  cwd?: string | null;
  name: 'list_agent_sessions';
}

/** List the configured agents and whether they can start. */
export interface ListAgents {
  name: 'list_agents';
  /** The notebook whose own agents to include. */
  notebook_path?: string;
}

/** List the open sessions that have changed a file, whatever their notebooks. */
export interface ListChangingSessions {
  name: 'list_changing_sessions';
  /** Path of the file, below the server's root. */
  path: string;
}

/** List the valid keys, the newest first. */
export interface ListOutsideKeys {
  name: 'list_outside_keys';
}

/** List the saved prompts of a folder, as its files are now. */
export interface ListPrompts {
  name: 'list_prompts';
  /** The notebook of that new session. */
  notebook_path?: string;
  /** The session whose folder it is; empty for the folder of a new session. */
  session_id?: string;
}

/** List the remembered rules, of one session and its folder or of all. */
export interface ListRules {
  name: 'list_rules';
  session_id?: string;
}

/** List the sessions that the caller may see. */
export interface ListSessions {
  name: 'list_sessions';
}

/** List the trusted folders. */
export interface ListTrust {
  name: 'list_trust';
}

/** ACP: tool call location. */
export interface Location {
  line: number | null;
  path: string;
}

/** Log in to a session's agent. */
export interface Login {
  /** One of the session's ``auth_methods``; empty for the first usable one. */
  method_id?: string;
  name: 'login';
  session_id: string;
}

/** Result of ``login`` and ``logout``: a message for the user. */
export interface LoginReply {
  /** The command to type if no terminal can be shown. */
  command: string;
  message: string;
  /** The terminal to open. */
  terminal: string;
}

/** A login that is running, or has failed. */
export interface LoginState {
  /** Why it failed. */
  message: string;
  method_id: string;
  /** The method's name, for people. */
  name: string;
  since: number | null;
  state: 'running' | 'failed';
  /** The name of its terminal. */
  terminal: string;
}

/** Log out of a session's agent. */
export interface Logout {
  name: 'logout';
  session_id: string;
}

/** Make a key for an outside agent. */
export interface MakeOutsideKey {
  name: 'make_outside_key';
  /** Relative to the root folder, with forward slashes. */
  notebook_path: string;
  policy?: 'read-only' | 'ask';
}

/** ACP: session modes. */
export interface Mode {
  description: string;
  id: string;
  name: string;
}

/** Move a cell. */
export interface MoveCell {
  /** Id of the cell above; None: first. */
  after: string | null;
  cell_id: string;
  fingerprint: string;
  op: 'move';
}

/** A name, and the cell that sets it. */
export interface NameLink {
  cell_id: string;
  name: string;
}

export interface NbOutput {
  [k: string]: JsonValue;
}

/** A new key; this is the only time that it is shown. */
export interface NewOutsideKey {
  entry: OutsideKeyEntry;
  key: string;
  /** The environment variable that the program reads it from. */
  variable: string;
}

/** What the user set for the cells of a notebook. */
export interface NotebookContext {
  /** All cells, in order; none if the notebook can't be read. */
  cells: CellPlace[];
  /** Those that go along. */
  pinned: PinnedCell[];
  /** How many more are pinned, and don't go along. */
  too_many: number;
}

/** Why a notebook could not be read or changed; nothing was changed. */
export interface NotebookRefusal {
  cell_id: string;
  /** The reason, for the caller. */
  message: string;
  reason:
    | 'cell_gone'
    | 'stale'
    | 'left_out'
    | 'no_notebook'
    | 'unreadable'
    | 'no_answer'
    | 'invalid'
    | 'too_large';
  /** The cell's current source, if it is ``stale``. */
  source: string | null;
}

/** A notebook in its current state, including unsaved changes. */
export interface NotebookState {
  cells: Cell[];
  /** Language of its kernel, from the notebook's metadata, e.g. ``python``. */
  language: string;
  /** Whether it has unsaved changes. */
  unsaved: boolean;
}

/** A message for the user that is not an error. */
export interface Notice {
  /** Details, one per line. */
  detail: string;
  /** Unique in its session. */
  id: string;
  kind: 'notice';
  /** The action that the host offers; never set by an agent. */
  offers: '' | 'rewind' | 'undo_rewind';
  severity: 'info' | 'warning' | 'error';
  /** For ``rewind``: the turn to go back to before. */
  target: string;
  text: string;
  title: string;
  /** The turn that it belongs to; null for items between turns. */
  turn_id: string | null;
}

/** Open one of them here. */
export interface OpenAgentSession {
  agent: string;
  agent_session_id: string;
  cwd?: string | null;
  name: 'open_agent_session';
  title?: string;
  trust?: boolean;
}

/** Which notebook cell a prompt came from. */
export interface Origin {
  cell_id: string;
  /** The error that ``%acp fix`` asks about. */
  error: CellError | null;
  kernel_id: string;
  /** Relative to the server's root, with forward slashes. */
  notebook_path: string;
  /** The cell's whole source when it ran. */
  source: string;
  /** Id of the turn's own widget, if the prompt came from a program or a button and not a cell. */
  view_id: string;
}

/** One kind of output that is another now: ``stdout``, a MIME type, ``error``. */
export interface OutputDifference {
  /** False for pictures, which are shown and not compared. */
  counts: boolean;
  kind: string;
  new: string | null;
  /** None where there was none. */
  old: string | null;
}

/** The facts about a key. */
export interface OutsideKeyEntry {
  created_at: number;
  /** When it expires, unless the server ends or it is revoked before. */
  expires_at: number;
  key_id: string;
  last_used_at: number | null;
  notebook_path: string;
  /** The initial policy of its agents' sessions, which can be changed like any other. */
  policy: 'read-only' | 'ask';
  /** Who made it; empty if users have no names. */
  user: string;
}

/** A permission request, as part of its tool call. */
export interface Permission {
  /** The user who answered, if several can; never saved in a notebook. */
  answered_by: string;
  asked_at: number | null;
  /** What the host found out about the files, e.g. that one is protected, and why. */
  cautions: string[];
  /** Name of the chosen option. */
  chosen: string;
  /** Everything else that the agent sent. */
  details: Detail[];
  /** Where a command would run; empty for the session's folder. */
  folder: string;
  options: PermissionOption[];
  /** The outcome, as text. */
  outcome: string;
  reason: string;
  /** The id for answers; unique in its session. */
  request_id: string;
  /** The rule for remembering the answer, e.g. ``execute:git status``; empty for none. */
  rule: string;
  state: 'pending' | 'allowed' | 'rejected' | 'answered' | 'cancelled' | 'expired';
  /** Whether a file differs from the text that the agent says it replaces: lines shown as unchanged may then be new. */
  text_differs: boolean;
  /** Title with the agent's name, e.g. ``Demo wants to edit a file``. */
  title: string;
  /** Whether the agent sent more than can be shown: such a request can't be allowed. */
  too_large: boolean;
  /** Other rules that may be remembered, while the request is open. */
  wider_rules: WiderRule[];
  /** Whether a policy, a rule or the agent's own settings answered, so that no user was asked. */
  without_user: boolean;
}

/** An option that the agent offers. */
export interface PermissionOption {
  name: string;
  option_id: string;
  /** In the agent's spelling; unknown kinds are plain buttons. */
  option_kind: string;
}

/** A pinned cell, as it goes along with a prompt. */
export interface PinnedCell {
  /** An ACP content block, cut if the cell is long, without secrets. */
  block: {
    [k: string]: JsonValue;
  };
  cell_id: string;
  number: number;
}

/** The agent's plan; every update replaces the whole plan. */
export interface Plan {
  entries: PlanEntry[];
  /** Unique in its session. */
  id: string;
  kind: 'plan';
  plan_id: string;
  /** The plan as Markdown, for agents that send it that way. */
  text: string;
  /** The turn that it belongs to; null for items between turns. */
  turn_id: string | null;
}

/** One step of a plan. */
export interface PlanEntry {
  content: string;
  priority: 'high' | 'medium' | 'low';
  status: 'pending' | 'in_progress' | 'completed';
}

/** An argument of a saved prompt. */
export interface PromptArgument {
  /** Null if it must be given. */
  default: string | null;
  description: string;
  name: string;
}

/** Result of ``read_prompt_cell``. */
export interface PromptCell {
  /** The text of ``%%acp --help``, if that is what the cell is; then nothing is sent. */
  help: string;
  /** Names that may be variables of the kernel: of ``--var``, and after ``@`` in the prompt. */
  names: string[];
}

/** Result of ``run_prompt_cell``. */
export interface PromptCellTurn {
  /** Whether the cell doesn't wait for the end of the turn. */
  background: boolean;
  session_id: string;
  /** Seconds after which the caller should stop the turn. */
  timeout: number | null;
  turn_id: string;
  /** Words for below the cell, such as what going back has done. */
  words: string;
}

/** Send a prompt; it is queued behind a running turn. */
export interface PromptSession {
  /**
   * Rules that allow something in this turn, e.g. ``execute:git status *``.
   *
   * @maxItems 100
   */
  allow?: string[];
  /** False if no user is present (nbclient, papermill). */
  can_ask?: boolean;
  /**
   * Rules that deny something in this turn; they take precedence over all others.
   *
   * @maxItems 100
   */
  deny?: string[];
  /** The most that the turn may use, e.g. ``10 min, 200k tokens, 30 calls, 2 USD``. */
  limit?: string;
  name: 'prompt';
  origin?: Origin | null;
  policy?: ('ask' | 'read-only' | 'accept-edits' | 'allow-all' | 'deny') | null;
  /** Text, or ACP content blocks. */
  prompt:
    | string
    | {
        [k: string]: JsonValue;
      }[];
  sandbox?: ('off' | 'folder' | 'read-only' | 'copy') | null;
  session_id: string;
  /**
   * Ids of pinned cells that don't go along with this prompt.
   *
   * @maxItems 1000
   */
  unpinned?: string[];
}

/** The key that the server gave to the page, which only the page's own connection has. */
export interface ProofFrame {
  key: string;
  type: 'proof';
}

/** A prompt in the queue. */
export interface QueuedPrompt {
  text: string;
  turn_id: string;
}

/** Read the text in the editor. */
export interface ReadDocument {
  op: 'read_document';
}

/** Read the cells of the notebook. */
export interface ReadNotebook {
  op: 'read_notebook';
  /** Whether only pinned cells come with their source and outputs. */
  pinned_only: boolean;
}

/** Read the first line of a prompt cell, and what the cell names. */
export interface ReadPromptCell {
  name: 'read_prompt_cell';
  /** The cell's source, which begins with ``%%acp``. */
  source: string;
}

/** The notebook's options for recording a session, or for playing a recording. */
export interface RecordingOptions {
  mode: 'record' | 'replay';
  /** Folder of the recordings, or a notebook file, relative to the notebook's folder; default: beside the notebook, with its name. */
  path: string;
  /** Changes with each kernel and each ``on``, so that a new run starts with new sessions. */
  run: string;
}

/** Replace secrets in a text that a page attaches to a prompt. */
export interface RedactText {
  name: 'redact_text';
  /** The session that gets it, if one is open: its agent's secrets are known. */
  session_id?: string;
  text: string;
}

/** Result of ``redact_text``. */
export interface RedactedText {
  text: string;
}

/** Result of ``get_registry`` and ``update_registry``. */
export interface RegistryReply {
  /** A date like ``2026-02-07``; empty if there is no list. */
  date: string;
  /** Whether it was downloaded; otherwise it came with this version. */
  downloaded: boolean;
  /** Why the last download failed; the earlier list stays in use. */
  failure: string;
  /** Whether a newer one may be downloaded. */
  may_update: boolean;
}

/** Replace the source of a cell; its outputs and its id stay. */
export interface ReplaceSource {
  acp: AcpMark;
  cell_id: string;
  /** Fingerprint of the source that is replaced. */
  fingerprint: string;
  op: 'replace';
  source: string;
}

/** The result of a command. */
export interface ReplyFrame {
  error: ErrorBody | null;
  id: number;
  result: unknown;
  type: 'reply';
}

/** End an agent's processes; each session restarts it when needed. */
export interface RestartAgent {
  agent: string;
  name: 'restart_agent';
}

/** Start the agent of a session again. */
export interface ResumeSession {
  name: 'resume_session';
  session_id: string;
}

/** Result of ``revert_turn``. */
export interface RevertReply {
  /** Files that now are as they were before the turn, or after it if this was an Undo. */
  paths: string[];
  /** Files that were left alone, and why: with ``partial``, and links of a variant that lead out of the folder. */
  refused: {
    [k: string]: string;
  };
  turn_id: string;
}

/** Revert what a turn changed, if nobody has changed it since; or undo that. */
export interface RevertTurn {
  /** If no files are named: by whom the changes must be, the turn, nobody observed, or both. */
  authors?: ('agent' | 'unknown')[];
  /**
   * Earlier turns, oldest first, whose changes to these files are reverted along with it.
   *
   * @maxItems 1000
   */
  earlier?: string[];
  /**
   * Parts of files instead of whole ones.
   *
   * @maxItems 200
   */
  hunks?: FileHunks[];
  /** The user did it in an open document: nothing is written, it is only recorded. */
  in_document?: boolean;
  name: 'revert_turn';
  /** Whether to revert what is possible if some files were changed since. */
  partial?: boolean;
  /** Which files; by default all. */
  paths?: string[] | null;
  turn_id: string;
  /** Whether to undo a revert. */
  undo?: boolean;
}

/** What was reverted of one turn. */
export interface RevertedTurn {
  /** Whether more than the named files was reverted. */
  all_of_it: boolean;
  paths: string[];
  turn_id: string;
}

/** Revoke a key, and end its connections. */
export interface RevokeOutsideKey {
  key_id: string;
  name: 'revoke_outside_key';
}

/** Remove a rule. */
export interface RevokeRule {
  name: 'revoke_rule';
  rule_id: string;
}

/** Stop trusting a folder. */
export interface RevokeTrust {
  folder: string;
  name: 'revoke_trust';
}

/** Result of ``rewind_session`` and ``undo_rewind``. */
export interface RewindReply {
  /** Files that these turns changed, and that could not be reverted. */
  left: string[];
  /** Files that were restored. */
  paths: string[];
  /** The session that continues. */
  session: SessionState;
  /** How many turns were reverted, or restored. */
  turns: number;
  /** A message about what was done. */
  words: string;
}

/** Go back to before a turn, in files and in the agent's memory. */
export interface RewindSession {
  /**
   * Later turns of other sessions to revert along with it.
   *
   * @maxItems 1000
   */
  also?: string[];
  /** Whether to restore files, too. */
  files?: boolean;
  name: 'rewind_session';
  session_id: string;
  turn_id: string;
}

/** What is answered without asking again. */
export interface Rule {
  created_at: number;
  effect: 'allow' | 'deny';
  id: string;
  /** Which commands, paths or addresses; empty for all of the kind. */
  pattern: string;
  /** The scope of the rule: one turn, one session, or all sessions in one folder. */
  scope: 'turn' | 'session' | 'workspace';
  tool_kind: 'read' | 'search' | 'edit' | 'delete' | 'move' | 'execute' | 'fetch';
  /** The user whose prompts it applies to; empty for all. */
  user: string;
  /** The same for people. */
  words: string;
}

/** A remembered rule, and its scope. */
export interface RuleEntry {
  /** The folder of a folder's rule. */
  folder: string;
  rule: Rule;
  /** The session of a session's rule. */
  session_id: string;
  /** As written in a command, e.g. ``execute:git status *``. */
  text: string;
}

/** Ask whether the command of a tool call that its sandbox stopped may run once. */
export interface RunOutside {
  name: 'run_outside';
  session_id: string;
  tool_call_id: string;
}

/** Send the prompt of a cell whose kernel doesn't know ``%%acp``, as the magic would. */
export interface RunPromptCell {
  /** False if no user is present. */
  can_ask?: boolean;
  cell_id: string;
  /** Folder of a new session, absolute; default: chosen from the notebook. */
  cwd?: string | null;
  name: 'run_prompt_cell';
  notebook_path: string;
  source: string;
  /** Why the kernel was not asked about variables, as a sentence; empty if it was. */
  unknown?: string;
  /** What the kernel says about variables, by their names: the ``names`` of ``read_prompt_cell`` that it knows. */
  variables?: {
    [k: string]: string;
  };
}

/** Result of ``get_sandboxes``. */
export interface SandboxesReply {
  /** The sandboxes that may be chosen. */
  allowed: ('off' | 'folder' | 'read-only' | 'copy')[];
  /** What enforces them, with its version; empty if nothing does. */
  kept_by: string;
  level: 'full' | 'partial' | 'none';
  /** The lowest level at which an agent is started in a sandbox. */
  required_level: 'full' | 'partial' | 'none';
  /** What is missing for the next level, and what to do; empty for the full one. */
  why_not_more: string;
}

/** Save the document, unless its user does not want that: ``unwanted``. */
export interface SaveDocument {
  op: 'save_document';
}

/** One turn in the result of ``get_records``. */
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

/** Result of ``get_records``. */
export interface SavedOutputs {
  epoch: string;
  /** Value of ``after`` that returns later changes, for the same ``epoch``. */
  number: number;
  outputs: SavedOutput[];
}

/** A saved prompt without its text. */
export interface SavedPrompt {
  /** Id of the agent that it is for; empty for any. */
  agent: string;
  arguments: PromptArgument[];
  description: string;
  /** Whether the session's agent has a command of this name, which is then used. */
  hidden: boolean;
  /** What follows the slash. */
  name: string;
  /** Its file, relative to the folder, with forward slashes. */
  path: string;
  /** The loosest policy of its turns; null for the user's own. */
  policy: ('ask' | 'read-only' | 'accept-edits' | 'allow-all' | 'deny') | null;
  /** Why it can't be used. */
  problem: string;
}

/** Result of ``list_prompts``. */
export interface SavedPrompts {
  folder: string;
  /** How many more files there are. */
  left_out: number;
  /** By name. */
  prompts: SavedPrompt[];
}

/** A line that a search found. */
export interface SearchHit {
  /** From 1. */
  line: number;
  path: string;
  text: string;
}

/** Search the prompts and answers of all sessions, the newest first. */
export interface SearchSessions {
  cursor?: string;
  name: 'search_sessions';
  /** Words to find in this order; case and white space are ignored. */
  text: string;
}

/** Stop the running turn, and send a queued prompt before the others. */
export interface SendNow {
  name: 'send_now';
  turn_id: string;
}

/** Offer an agent that runs in this kernel to its notebook's sessions. */
export interface ServeAgent {
  /** The private socket on which the kernel serves it. */
  address: string;
  /** The agent's name. */
  agent: string;
  /** The secret that the socket asks for. */
  key: string;
  name: 'serve_agent';
}

export type ServerFrame =
  HelloFrame | SessionsFrame | ImportsFrame | EventsFrame | ReplyFrame | AskFrame | ErrorFrame;

/** The session's state has changed. */
export interface SessionChanged {
  kind: 'session_changed';
  /** Increases by at least one; a merged event has the last number. */
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
  | ListAgentSessions
  | OpenAgentSession;

/** The state of a session as a whole. */
export interface SessionState {
  active_turn_id: string | null;
  /** The agent's configured id. */
  agent: string;
  agent_info: AgentInfo;
  /** The agent's own id of the session. */
  agent_session_id: string;
  /** Whether it is archived: stored, but not listed with the others. */
  archived: boolean;
  /** Login methods that the agent offers. */
  auth_methods: AuthMethod[];
  /** How many tasks run in the background, such as tool calls that outlive their turns. */
  background: number;
  /** The session and turn that it branched off; null if it did not. */
  branch: Branch | null;
  /** The agent's session capabilities. */
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
  /** The session that branched off this one and replaced it. */
  continues_in: string;
  /** The folder that ``cwd`` is a copy of, if its agent works in the sandbox ``copy``. */
  copied_folder: string;
  created_at: number | null;
  current_mode_id: string;
  /** Absolute path, for HTTP clients. */
  cwd: string;
  /** The folder for people: the home folder is shortened to ``~``. */
  folder: string;
  /** The notebook's earlier path, if it was renamed or moved. */
  former_paths: string[];
  /** Why the next message is held back, as text. */
  held: string;
  /** Whether the agent remembers everything shown; ``gap`` if lines of the log are missing. */
  history: 'whole' | 'without' | 'gap';
  /** The most that all its turns together may use, as it was written; empty for no limit. */
  limit: string;
  /** Whether a user set a limit, so that a kernel can't raise any. */
  limits_by_user: boolean;
  /** The login in use according to the agent, e.g. ``Anthropic API key``. */
  logged_in: string;
  /** A login that is running, or has failed. */
  login: LoginState | null;
  /** Whether a turn waits for a scan of its folder: the prompt is sent after that. */
  looking: boolean;
  /** Name of the model, for agents without a config option for it. */
  model: string;
  modes: Mode[];
  /** Whether the user set the title, so that the agent's does not replace it. */
  named: boolean;
  /** Why the agent needs a login before it opens the session; empty if it doesn't. */
  needs_login: string;
  /** The network of that sandbox. */
  network: 'all' | 'none' | 'hosts';
  notebook_path: string;
  policy: 'ask' | 'read-only' | 'accept-edits' | 'allow-all' | 'deny';
  /** Who chose the policy: it allows nothing in others' prompts; empty if users have no names. */
  policy_user: string;
  /** Of ``image``, ``audio``, ``embeddedContext``. */
  prompt_capabilities: string[];
  queue: QueuedPrompt[];
  /** Why nothing can be sent from here, as text; empty if it can. */
  read_only: string;
  /** What was reverted in files at the branch, in order. */
  reverted: RevertedTurn[];
  /** Rules of this session; those of its folder are stored separately. */
  rules: Rule[];
  /** The sandbox of later turns. */
  sandbox: 'off' | 'folder' | 'read-only' | 'copy';
  session_id: string;
  /** When the agent last sent something, if it has been silent for too long in a turn. */
  silent_since: number | null;
  status: 'starting' | 'idle' | 'running' | 'requires_action' | 'stopped';
  /** Whether it is only stored: nothing of it runs, and its log was not read. */
  stored: boolean;
  title: string;
  /** Names of the agent's tools, if the agent lists them. */
  tools: string[];
  /** The most that each of its later turns may use. */
  turn_limit: string;
  /** What the agent does without asking in its current mode; no policy sees that. */
  unasked: '' | 'edits' | 'judged' | 'all';
  updated_at: number | null;
  usage: Usage | null;
  /** What its turns used, all together. */
  use: Use;
  /** The variant that it is, in a copy of the folder; null for other sessions. */
  variant: Variant | null;
  /** Pending permission requests. */
  waiting: number;
  /** The sandbox of the agent that is running, or ran last; null without a sandbox. */
  walls: WallsInForce | null;
}

/** A line of the session list. */
export interface SessionSummary {
  agent_id: string;
  agent_name: string;
  archived: boolean;
  /** How many tasks run in the background. */
  background: number;
  /** The session that it branched off, at an earlier turn; empty if it did not. */
  branched_from: string;
  /** The agent's session capabilities. */
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
  /** The session that branched off this one and replaced it. */
  continues_in: string;
  /** Whether it is a variant of a prompt. */
  is_variant: boolean;
  notebook_path: string;
  /** Why nothing can be sent from here; empty if it can. */
  read_only: string;
  /** Whether new prompts from its notebook's cells to its agent go to it. */
  serves_cells: boolean;
  session_id: string;
  status: 'starting' | 'idle' | 'running' | 'requires_action' | 'stopped';
  /** Whether it is only stored; it is opened on demand. */
  stored: boolean;
  title: string;
  updated_at: number | null;
  waiting: number;
}

/** The whole session list, after a change. */
export interface SessionsFrame {
  sessions: SessionSummary[];
  type: 'sessions';
}

/** Change a config option, mode, model, policy, sandbox, its network, a limit, or the title. */
export interface SetConfig {
  config?: {
    [k: string]: string | boolean;
  };
  /** The most that all turns together may use; empty for no limit. */
  limit?: string | null;
  mode?: string | null;
  name: 'set_config';
  network?: ('all' | 'none' | 'hosts') | null;
  policy?: ('ask' | 'read-only' | 'accept-edits' | 'allow-all' | 'deny') | null;
  sandbox?: ('off' | 'folder' | 'read-only' | 'copy') | null;
  session_id: string;
  title?: string | null;
  /** The most that each later turn may use. */
  turn_limit?: string | null;
}

/** Set the outputs of a cell that was run. */
export interface SetOutputs {
  cell_id: string;
  execution_count: number | null;
  /** Fingerprint of the source that ran. */
  fingerprint: string;
  op: 'outputs';
  outputs: NbOutput[];
}

/** ACP: available commands. */
export interface SlashCommand {
  description: string;
  hint: string;
  name: string;
}

/** A window into the session: its newest items. */
export interface Snapshot {
  /** Identifies one run of the server; ``seq`` is only comparable within it. */
  epoch: string;
  /** Index of the first of ``items`` in the whole transcript. */
  first_index: number;
  items: Item[];
  kind: 'snapshot';
  /** Increases by at least one; a merged event has the last number. */
  seq: number;
  session: SessionState;
  session_id: string;
  total: number;
  turns: TurnState[];
}

/** Why an output is stale. */
export interface StaleCause {
  /** The cell that was changed; it may be the stale one itself. */
  cell_id: string;
  /** ``set_elsewhere``: it sets a name that came from another cell when this one ran. */
  change: 'changed' | 'deleted' | 'set_elsewhere';
  /** The names through which the stale cell depends on it, the stale cell's own first. */
  path: NameLink[];
  /** Index of the run whose source is not the cell's any more. */
  run: number | null;
}

/** A cell whose output is stale. */
export interface StaleCell {
  causes: StaleCause[];
  cell_id: string;
}

/** The cells whose output is stale. */
export interface StaleCells {
  cells: StaleCell[];
}

/** Start to import a log as a session; ``get_import`` returns the progress. */
export interface StartImport {
  content: string;
  /** Its format; by default it is recognised. */
  dialect: ('traffic' | 'packets' | 'build-mode' | 'claude-cli') | null;
  file_name: string;
  /** Which of its sessions, by its ACP id; by default the one with most lines. */
  log_session: string;
  name: 'start_import';
}

/** Send a queued prompt into the running turn; it stays queued if the agent refuses it. */
export interface Steer {
  name: 'steer';
  /** Id of the queued prompt's turn. */
  turn_id: string;
}

/** Follow a session; resume after ``after`` of that ``epoch`` if possible. */
export interface SubscribeFrame {
  after: number | null;
  epoch: string;
  session_id: string;
  type: 'subscribe';
}

/** ACP: a terminal, of the client or of the agent. */
export interface TerminalView {
  /** Who ended it; empty if it ended by itself. */
  by: '' | 'agent' | 'user' | 'time_limit' | 'session';
  /** Whether it runs for the user, who was asked, and not for the agent. */
  by_user: boolean;
  /** Whether the agent runs it and ends it when the client asks. */
  can_cancel: boolean;
  /** As typed in a shell. */
  command: string;
  /** Relative to the session's folder if it is inside. */
  cwd: string;
  exit_code: number | null;
  /** Whether the host runs it, and so can stop it. */
  own: boolean;
  /** Whether the agent no longer needs it. */
  released: boolean;
  running: boolean;
  /** Name of the signal that ended it. */
  signal: string;
  terminal_id: string;
  /** Whether there was more output than is shown. */
  truncated: boolean;
}

/** More text for one field. ``offset`` is in UTF-16 code units, as in JavaScript. */
export interface TextAppended {
  field: 'text' | 'output';
  item_id: string;
  kind: 'text_appended';
  offset: number;
  /** Increases by at least one; a merged event has the last number. */
  seq: number;
  session_id: string;
  text: string;
}

/** One field's text is replaced by ``text``, from ``offset`` to its end. */
export interface TextChanged {
  field: 'text' | 'output';
  item_id: string;
  kind: 'text_changed';
  offset: number;
  /** Increases by at least one; a merged event has the last number. */
  seq: number;
  session_id: string;
  text: string;
}

/** The agent's reasoning, as Markdown; or a named step. */
export interface Thought {
  ended_at: number | null;
  /** Unique in its session. */
  id: string;
  kind: 'thought';
  open: boolean;
  /** Id of the tool call whose subagent made it; the call is earlier in the same turn. */
  parent_id: string;
  started_at: number | null;
  text: string;
  /** Name of the step. */
  title: string;
  /** The turn that it belongs to; null for items between turns. */
  turn_id: string | null;
}

/** One todo; views show ``active_form`` while it is in progress. */
export interface TodoItem {
  active_form: string;
  content: string;
  status: 'pending' | 'in_progress' | 'completed';
}

/** A tool call, merged from all messages with its id. */
export interface ToolCall {
  /** Whether it, or its terminal, runs in the background, as far as the agent has said. */
  background: boolean;
  blocks: ContentBlockItem[];
  /** Whether the agent can cancel it alone; only while it is open. */
  can_cancel: boolean;
  /** Whether it was asked to cancel, and has neither refused nor done so. */
  cancelling: boolean;
  command: string;
  /** How many files a search found; ``files`` or ``hits`` may have fewer. */
  count: number | null;
  /** Display description, e.g. a path or what a command is for. */
  description: string;
  /** Diagnostics of a language server after a write. */
  diagnostics: Diagnostic[];
  diffs: Diff[];
  ended_at: number | null;
  exit_code: number | null;
  /** Files that a search found, relative; empty when it found nothing. */
  files: string[] | null;
  /** Number of the output's first line, if it was numbered. */
  first_line: number | null;
  /** The lines of those files that it found; null for a search for files. */
  hits: SearchHit[] | null;
  /** Unique in its session. */
  id: string;
  /** Null if unknown. */
  is_new_file: boolean | null;
  kind: 'tool_call';
  /** A location without a line is the beginning of the file. */
  locations: Location[];
  /** What the tool is doing right now. */
  message: string;
  /** Output as text, without wrappers and line numbers; grows by ``text_appended``. */
  output: string;
  /** Id of the tool call whose subagent made it; the call is earlier in the same turn. */
  parent_id: string;
  path: string;
  permission: Permission | null;
  /** From 0 to 1. */
  progress: number | null;
  raw_input: unknown;
  raw_output: unknown;
  /** Remarks of a search, e.g. ``No files found``. */
  remarks: string[];
  started_at: number | null;
  status: 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled';
  /** The child session that does the work; empty for any other call. */
  subagent_session_id: string;
  /** Type of the subagent that did it, e.g. ``Explore``. */
  subagent_type: string;
  /** The newest terminal that it shows, whose output is the call's ``output``. */
  terminal: TerminalView | null;
  /** Display title, e.g. ``Editing file``. */
  title: string;
  /** The whole list of todos; such a call is drawn as that list. */
  todos: TodoItem[] | null;
  tool_call_id: string;
  /** The protocol's ten kinds. */
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
  /** In the agent's spelling. */
  tool_name: string;
  /** Whether the tool says that its output is incomplete. */
  truncated: boolean;
  /** The turn that it belongs to; null for items between turns. */
  turn_id: string | null;
  /** Kind for views, coarser than the protocol's. */
  ui_kind: 'search' | 'read' | 'execute' | 'edit' | 'task' | 'other';
  /** The wall of the sandbox that it failed at. */
  wall: Wall | null;
}

/** Result of ``get_traffic_line``. */
export interface TrafficDetail {
  /** Whether the text was cut. */
  cut: boolean;
  place: number;
  /** Its message as indented JSON, or the text of the chunks. */
  text: string;
}

/** A summary of a line of the log. */
export interface TrafficLine {
  /** Seconds since the epoch. */
  at: number;
  /** Number of joined chunks; they fill ``size`` bytes from ``place``. */
  count: number;
  direction: '>' | '<' | '!';
  kind: 'request' | 'response' | 'error' | 'notification' | 'note' | 'unknown';
  /** ACP's method, for a response that of its request if it is near; or a note's kind. */
  method: string;
  place: number;
  /** The beginning of its content. */
  preview: string;
  seq: number;
  /** Bytes. */
  size: number;
  /** Identifies the text that a chunk belongs to; empty for other lines. */
  stream: string;
  /** The kind of a ``session/update``. */
  update: string;
}

/** Result of ``get_traffic``. */
export interface TrafficPage {
  /** to here was read. */
  end: number;
  lines: TrafficLine[];
  /** Size of the whole log, up to its last complete line. */
  size: number;
  /** The part of the log from here */
  start: number;
}

/** Trust a folder, or answer a session's question about its own. */
export interface TrustFolder {
  /** Absolute, or relative to the server's root. */
  folder?: string;
  name: 'trust_folder';
  request_id?: string;
  session_id?: string;
  /** False declines a session's question, and does nothing else. */
  trust?: boolean;
}

/** Asked before an agent's first start in a folder. */
export interface TrustRequest {
  agent_name: string;
  /** The user who answered, if several can; never saved in a notebook. */
  answered_by: string;
  asked_at: number | null;
  /** The folder for people: the home folder is shortened to ``~``. */
  folder: string;
  id: string;
  kind: 'trust_request';
  /** The outcome, as text. */
  outcome: string;
  /** Unique in its session. */
  request_id: string;
  state: 'pending' | 'trusted' | 'declined' | 'cancelled';
  title: string;
  turn_id: string | null;
  /** What trusting the folder means. */
  words: string;
}

/** A trusted folder; all folders below it are trusted, too. */
export interface TrustedFolder {
  /** Time of the trust in Unix seconds; null if it comes from the configuration. */
  at: number | null;
  path: string;
}

/** What changed in a turn's folder while it ran; each file has its author. */
export interface TurnChanges {
  /** Reverted, or kept from a variant, but already in that state; Undo does not touch it. */
  already: string[];
  /** Id of the stored folder; empty if nothing is stored. */
  checkpoint: string;
  files: ChangedFile[];
  /** How many more files the turn changed. */
  left_out: number;
  made_folders: string[];
  /** Folders created by a revert or a kept variant: Undo removes them if they are empty. */
  put_folders: string[];
  revertible: boolean;
  /** How many more files changed without an observed author. */
  unknown_left_out: number;
  /** A note for the user, e.g. why it can't be reverted. */
  words: string;
}

/** Result of ``get_turn``: a turn and its items. */
export interface TurnDetail {
  /** The final output, once the turn is done; with the first items. */
  bundle: Bundle | null;
  items: Item[];
  /** Value of ``start`` for the next items; null if these are the last. */
  more: number | null;
  /** Whether a page with the labextension has the turn's notebook open. */
  page_holds_notebook: boolean;
  session: SessionState;
  turn: TurnState;
}

/** The end of a prompt turn. */
export interface TurnEnd {
  duration_seconds: number | null;
  /** Unique in its session. */
  id: string;
  input_tokens: number | null;
  kind: 'turn_end';
  output_tokens: number | null;
  /** ACP: stop reasons, or ``error``. */
  stop_reason: string;
  /** The agent's summary. */
  summary: string;
  /** The turn that it belongs to; null for items between turns. */
  turn_id: string | null;
  /** Empty for an ordinary end. */
  words: string;
}

/** A turn is done. */
export interface TurnEnded {
  kind: 'turn_ended';
  /** Increases by at least one; a merged event has the last number. */
  seq: number;
  session_id: string;
  turn: TurnState;
}

/** Why a turn ended in an error. */
export interface TurnFailure {
  detail: string;
  message: string;
  reason: string;
}

/** A turn as it is read from an output: a pointer to it, and a capped copy. */
export interface TurnSnapshot {
  agent: AgentInfo;
  final: boolean;
  /** Agent and version, model, mode, policy, sandbox, files changed, tokens. */
  footer: string[];
  items: Item[];
  session_id: string;
  session_title: string;
  turn: TurnState;
  turn_id: string;
  version: number;
}

/** A turn was queued, started, waits for an answer, or continues after one. */
export interface TurnStarted {
  kind: 'turn_started';
  /** Increases by at least one; a merged event has the last number. */
  seq: number;
  session_id: string;
  turn: TurnState;
}

/** A prompt turn. */
export interface TurnState {
  /** Changes in the folder, by it and by others; null if there are none, or they are unknown. */
  changes: TurnChanges | null;
  /** Why its changes are unknown; empty if they are known. */
  changes_unknown: string;
  /** The turn that it is a copy of, if it came from another session. */
  copy_of: CopiedTurn | null;
  ended_at: number | null;
  failure: TurnFailure | null;
  /** Whether it worked in a copy that lasts as long as its session: kept changes are in the folder. */
  in_copy: boolean;
  input_tokens: number | null;
  origin: Origin | null;
  output_tokens: number | null;
  policy: 'ask' | 'read-only' | 'accept-edits' | 'allow-all' | 'deny';
  prompt: string;
  queued_at: number | null;
  /** What is allowed in this turn without asking. */
  rules: Rule[];
  sandbox: 'off' | 'folder' | 'read-only' | 'copy';
  session_id: string;
  started_at: number | null;
  status: 'queued' | 'running' | 'requires_action' | 'done';
  /** ACP: stop reasons, or ``error``; empty until it is done. */
  stop_reason: string;
  tokens: number | null;
  turn_id: string;
  /** Who sent the prompt, and so answers for it; empty if anybody may. */
  user: string;
  /** The number of the variant, from 1; 0 for a turn that is not a variant. */
  variant: number;
  words: string;
}

/** Unarchive a session. */
export interface UnarchiveSession {
  name: 'unarchive_session';
  session_id: string;
}

/** Continue the earlier session again, with its files as they were. */
export interface UndoRewind {
  /** Whether to restore files, if going back has changed them. */
  files?: boolean;
  name: 'undo_rewind';
  /** The session that going back has created. */
  session_id: string;
}

/** Stop following a session. */
export interface UnsubscribeFrame {
  session_id: string;
  type: 'unsubscribe';
}

/** Download a newer list of the public registry, if that is allowed. */
export interface UpdateRegistry {
  name: 'update_registry';
}

/** ACP: usage_update. */
export interface Usage {
  cost_amount: number | null;
  cost_currency: string;
  size: number;
  used: number;
}

/** Result of ``get_usage``. */
export interface UsageReply {
  /** Today's date where the sessions are, such as ``2026-12-01``. */
  day: string;
  /** What the session used, all its turns together; null without one. */
  session: Use | null;
  /** What the turns used that ended today, in all sessions that are still there. */
  today: Use;
}

/** What turns used. */
export interface Use {
  /** Tool calls. */
  calls: number;
  /** The cost as the agent reported it, by currency; empty if it reported none. */
  costs: Cost[];
  /** The time in which they worked, without that in which a question waited for an answer. */
  seconds: number;
  /** Tokens as the agent reported them; null if it reported none. */
  tokens: number | null;
  /** Turns that have ended. */
  turns: number;
}

/** A prompt, as it was sent. */
export interface UserMessage {
  at: number | null;
  attachments: Attachment[];
  /** Unique in its session. */
  id: string;
  kind: 'user_message';
  /** Whether the user sent it while the turn ran; it stands where the agent accepted it. */
  steered: boolean;
  text: string;
  /** The turn that it belongs to; null for items between turns. */
  turn_id: string | null;
}

/** Which variant of a prompt a session is; it works in a copy of the folder. */
export interface Variant {
  /** Whether that kernel begins without variables although they were requested. */
  begins_empty: boolean;
  /** The folder that was copied; absolute. */
  folder: string;
  /** The variant's own kernel, or why it has none, as text. */
  kernel: string;
  /** What the copy leaves out, as text. */
  left_out: string;
  /** Counts from 1. */
  number: number;
  /** Id of the prompt, the same for all its variants. */
  try_id: string;
}

/** The wall of the sandbox that a tool call failed at. */
export interface Wall {
  /** The folder of the environment that the command would change; absolute. */
  environment: string;
  offers: '' | 'outside' | 'environment';
  /** What the call tried to reach; an absolute path, or empty for the network. */
  path: string;
  /** The tool call in which the command ran again for the user; empty until it does. */
  run_id: string;
  /** Which wall it was, as a sentence. */
  words: string;
}

/** The sandbox that the agent's processes run in. */
export interface WallsInForce {
  level: 'full' | 'partial' | 'none';
  network: 'all' | 'none' | 'hosts';
  sandbox: 'off' | 'folder' | 'read-only' | 'copy';
  /** Why it is not enforced, or not better: a sentence that says what to do. */
  why: string;
}

/** A rule that allows more than this one request. */
export interface WiderRule {
  /** As written in a command, e.g. ``edit:src/**``. */
  text: string;
  /** E.g. ``Files in src``. */
  words: string;
}

/** Withdraw the ask with this id: the page must not change anything for it. */
export interface Withdraw {
  op: 'withdraw';
}

/** Set the document's text, changing only what differs, and save it. */
export interface WriteDocument {
  /** The text that this one was made from; None for the text on disk. */
  base: string | null;
  op: 'write_document';
  text: string;
}

/** What the server answers to each command, by the command's name. */
export interface Results {
  list_agents: AgentEntry[];
  get_registry: RegistryReply;
  get_sandboxes: SandboxesReply;
  update_registry: RegistryReply;
  list_sessions: SessionState[];
  search_sessions: FoundSessions;
  create_session: SessionState;
  get_session: SessionState;
  get_usage: UsageReply;
  close_session: null;
  delete_session: null;
  archive_session: ArchiveReply;
  unarchive_session: ArchiveReply;
  fork_session: SessionState;
  resume_session: SessionState;
  list_agent_sessions: AgentSessions;
  open_agent_session: SessionState;
  prompt: { [name: string]: string };
  cancel: null;
  answer_permission: { [name: string]: string };
  set_config: SessionState;
  get_items: ItemsPage;
  get_context: NotebookContext;
  redact_text: RedactedText;
  get_turn: TurnDetail;
  attach_turn: AttachedTurn;
  get_records: SavedOutputs;
  get_transcript: { [name: string]: unknown };
  get_traffic: TrafficPage;
  get_traffic_line: TrafficDetail;
  cancel_import: null;
  answer_elicitation: { [name: string]: string };
  edit_queued: null;
  send_now: null;
  steer: { [name: string]: string };
  kill_terminal: null;
  cancel_tool_call: null;
  run_outside: null;
  get_changes: ChangesReply;
  list_changing_sessions: ChangingSessions;
  revert_turn: RevertReply;
  keep_variant: RevertReply;
  allow_download: AgentEntry;
  restart_agent: LoginReply;
  login: LoginReply;
  cancel_login: LoginReply;
  logout: LoginReply;
  list_rules: RuleEntry[];
  revoke_rule: null;
  trust_folder: { [name: string]: string };
  list_trust: TrustedFolder[];
  revoke_trust: null;
  find_stale: StaleCells;
  rewind_session: RewindReply;
  undo_rewind: RewindReply;
  get_history: History;
  make_outside_key: NewOutsideKey;
  list_outside_keys: OutsideKeyEntry[];
  revoke_outside_key: null;
  read_prompt_cell: PromptCell;
  run_prompt_cell: PromptCellTurn;
  list_prompts: SavedPrompts;
  create_variant: SessionState;
}
