import type { DraftAttachment } from '../state/attachments';
import type { Policy } from '../wire/policy';
import type { PageCommand } from '../wire/results';
import type { Network, Sandbox } from '../wire/sandbox';
import type {
  AgentSession,
  AgentSessions,
  AnswerElicitation,
  AnswerPermission,
  FileHunks,
  FileTexts,
  FoundSessions,
  LoginReply,
  Origin,
  RegistryReply,
  RuleEntry,
  SetConfig,
  TurnState,
  UsageReply,
} from '../wire/types';
import type { Additions } from './additions';

/** Changes of a session's configuration; absent fields stay. */
export type ConfigChange = Partial<
  Pick<
    SetConfig,
    'config' | 'limit' | 'mode' | 'network' | 'policy' | 'sandbox' | 'title' | 'turn_limit'
  >
>;

/** Formats in which a session can be exported. */
export type ExportFormat = 'traffic' | 'markdown' | 'html';

/** The user's answer to a question of the agent. */
export type Answer = Pick<AnswerElicitation, 'action' | 'content'>;

/** Details of an answer to a permission request: how long it is remembered, or why it rejects. */
export type AnswerMore = Pick<AnswerPermission, 'remember' | 'wider_rule' | 'reason'>;

/** The part of a turn that is reverted; without paths and hunks everything it changed. */
export interface RevertChoice {
  readonly paths?: readonly string[];
  /** Hunks of one file. */
  readonly hunks?: FileHunks;
  /** Whose changes, if no paths are given; the turn's own by default. */
  readonly authors?: readonly ('agent' | 'unknown')[];
  /** Reverts the revert. */
  readonly undo?: boolean;
  /** Ids of earlier turns, the oldest first, whose changes of these files are reverted, too. */
  readonly earlier?: readonly string[];
}

/** Actions on whole sessions, and on sessions that only an agent knows. */
export interface SessionLife {
  /** Runs a command without a result, such as `resume_session` or `delete_session`. */
  readonly run: (command: PageCommand) => Promise<void>;
  /** Resolves to the id of the new session. */
  readonly fork: (sessionId: string) => Promise<string>;
  /** Archives a session or unarchives it; resolves to the agent's error, if any. */
  readonly archive: (sessionId: string, archived: boolean) => Promise<string>;
  /** A page of the sessions that an agent itself stores; the first page with an empty cursor. */
  readonly listOfAgent: (
    agentId: string,
    cursor: string,
    archived: boolean,
  ) => Promise<AgentSessions>;
  /** Opens one of them here; resolves to its id here. */
  readonly openOfAgent: (agentId: string, session: AgentSession, trust: boolean) => Promise<string>;
}

/** Inserts code of an answer into notebook cells. It is never run. */
export interface Cells {
  /** Number of the cell below which code is inserted, from 1; `null` for none. */
  readonly activeCell: () => number | null;
  /** Inserts a cell; Markdown becomes a Markdown cell. */
  readonly insertBelow: (text: string, language: string) => Promise<void>;
  /** Whether code of a language can replace that cell, which must be neither a prompt nor text. */
  readonly canReplace?: (language: string) => boolean;
  /** Replaces that cell's source; it can be undone in the notebook. */
  readonly replaceActive?: (text: string, language: string) => Promise<void>;
  /** Calls back when another cell becomes active; returns a function that stops it. */
  readonly onChange: (listener: () => void) => () => void;
}

/**
 * The actions that a view can ask of its host.
 *
 * A promise is the answer to a click: it rejects with an `Error` that has a message for the user. A
 * control without a callback is not drawn.
 */
export interface Actions {
  /** `null` dismisses a question without options. */
  answerPermission(
    sessionId: string,
    requestId: string,
    optionId: string | null,
    more?: AnswerMore,
  ): Promise<void>;
  /** The shortcut that goes to a request from anywhere in the page, as shown to users. */
  readonly requestShortcut?: () => string;
  /** Answers whether agents may run in a session's folder. */
  readonly trustFolder?: (sessionId: string, requestId: string, trust: boolean) => Promise<void>;
  /** The remembered rules of a session and its folder. */
  readonly listRules?: (sessionId: string) => Promise<RuleEntry[]>;
  readonly revokeRule?: (ruleId: string) => Promise<void>;
  /** Answers a question of the agent; an error may have `fields`, messages by field name. */
  readonly answerElicitation?: (
    sessionId: string,
    requestId: string,
    answer: Answer,
  ) => Promise<void>;
  /** Stops a turn; `null` the running one. */
  cancel(sessionId: string, turnId: string | null): Promise<void>;
  /** Ends a command that the host runs for the agent. */
  killTerminal?(sessionId: string, terminalId: string): Promise<void>;
  /** Asks the agent to end one call, or its command; the turn goes on. */
  cancelToolCall?(sessionId: string, toolCallId: string): Promise<void>;
  /** Asks whether the command of a call that a wall stopped may run once, outside the sandbox. */
  readonly runOutside?: (sessionId: string, toolCallId: string) => Promise<void>;
  send?(
    sessionId: string,
    text: string,
    attachments: readonly DraftAttachment[],
    /** Ids of pinned cells that don't go along. */
    unpinned: readonly string[],
  ): Promise<void>;
  /** Finds things that `@` can mention; without it nothing can be attached. */
  readonly mentions?: MentionSource;
  /** The policies that the administrator of the server allows; all if absent. */
  readonly policies?: readonly Policy[];
  /** The same of sandboxes. */
  readonly sandboxes?: readonly Sandbox[];
  /** Makes a session and resolves to its id; `null` leaves its sandbox or network to the server. */
  createSession?(
    agentId: string,
    policy: Policy,
    sandbox: Sandbox | null,
    network: Network | null,
  ): Promise<string>;
  /** Shows a session; with a turn, that turn. */
  openSession?(sessionId: string, turnId?: string): void;
  /** The title of a session, if its notebook has several with that agent; else nothing. */
  readonly sessionName?: (sessionId: string) => string;
  closeSession?(sessionId: string): Promise<void>;
  /** Actions on whole sessions. */
  readonly life?: SessionLife;
  /** What the page's features add to the views. */
  readonly additions?: Additions;
  setConfig?(sessionId: string, change: ConfigChange): Promise<void>;
  /** Fetches items by index, or counted from a turn's first, and puts them into the store with `insert`. */
  loadItems?(sessionId: string, start: number, end: number, turnId?: string): Promise<void>;
  /** The server's base URL, to which URLs of previews are relative. */
  readonly baseUrl?: string;
  openFile?(path: string, line: number | null): Promise<void>;
  copy?(text: string): Promise<void>;
  readonly cells?: Cells;
  /** Shows the cell of a prompt or of an error. */
  jumpTo?(origin: Origin): void;
  /** Number of that cell in its notebook, from 1; `null` if the notebook isn't open. */
  readonly cellNumber?: (origin: Origin) => number | null;
  /** Shows a turn: at its cell, or in the panel. */
  readonly goToTurn?: (turn: TurnState) => void;
  removeQueued?(sessionId: string, turnId: string): Promise<void>;
  /** Changes the text of a queued message. */
  editQueued?(turnId: string, text: string): Promise<void>;
  /** Stops the running turn and sends a queued message. */
  sendNow?(turnId: string): Promise<void>;
  /**
   * Sends a queued message into the running turn; it stays queued if the agent does not accept it.
   */
  steer?(turnId: string): Promise<void>;
  /**
   * A file's text before and after a turn, or from before the `earlier` turns on; `null` if it is
   * not kept.
   */
  readonly getChanges?: (
    turnId: string,
    path: string,
    earlier?: readonly string[],
  ) => Promise<FileTexts | null>;
  /** Reverts files to how they were before a turn, or reverts that. */
  readonly revertTurn?: (turnId: string, what: RevertChoice) => Promise<void>;
  /** Opens the review of what a turn changed. */
  readonly review?: (turnId: string) => void;
  /** Connects now instead of at the end of the wait. */
  reconnect?(): void;
  /** What a session used, and all of them today. */
  readonly usage?: (sessionId: string) => Promise<UsageReply>;
  /** Searches the text of all sessions; a cursor continues a search. */
  readonly search?: (text: string, cursor: string) => Promise<FoundSessions>;
  /** Downloads a session as a file. */
  readonly exportSession?: (sessionId: string, format: ExportFormat) => Promise<void>;
  /** Starts a login; a long one continues, as the session's state shows. */
  login?(sessionId: string, methodId: string): Promise<LoginReply>;
  cancelLogin?(sessionId: string): Promise<void>;
  /** Shows a terminal of the server. */
  openTerminal?(name: string): void;
  /** Allows downloading a package and running it by a command, both as shown. */
  allowDownload?(agentId: string, packageShown: string, run: string): Promise<void>;
  /** The list of the public registry that is in use, with its date. */
  registry?(): Promise<RegistryReply>;
  /** Takes a newer list of the public registry, if there is one. */
  updateRegistry?(): Promise<RegistryReply>;
  restartAgent?(agentId: string): Promise<void>;
  /** Asks the server again which agents are ready. */
  refreshAgents?(): Promise<void>;
}

export type MentionGroup = 'errors' | 'variables' | 'packages' | 'cells' | 'documents' | 'files';

/** Something that `@` can mention in a message. */
export interface Mention {
  readonly group: MentionGroup;
  readonly label: string;
  /** Shown beside it, e.g. a type. */
  readonly detail: string;
  /** The word that is written into the message. */
  readonly word: string;
  readonly attachment: DraftAttachment;
}

/** Finds what `@` can mention in the page. */
export interface MentionSource {
  /**
   * Finds mentions that fit, best first; `found` is called again when more are known.
   *
   * Returns a function that stops it.
   */
  find(query: string, found: (mentions: readonly Mention[]) => void): () => void;
}
