import type { DraftAttachment } from '../state/attachments';
import type {
  AgentSession,
  AgentSessions,
  AnswerElicitation,
  AnswerPermission,
  FileHunks,
  FileTexts,
  GetTraffic,
  LoginReply,
  Origin,
  RuleEntry,
  SetConfig,
  TrafficDetail,
  TrafficPage,
  TurnState,
} from '../wire/types';

/** What may be changed of a session; absent fields stay. */
export type ConfigChange = Partial<Pick<SetConfig, 'config' | 'mode' | 'policy' | 'title'>>;

/** Which lines of a session's traffic are asked for. */
export type TrafficQuery = Partial<
  Pick<GetTraffic, 'after' | 'before' | 'direction' | 'limit' | 'method' | 'text'>
>;

/** What a session is written to a file as. */
export type ExportFormat = 'traffic' | 'markdown' | 'html';

/** What the user says to a question of the agent. */
export type Answer = Pick<AnswerElicitation, 'action' | 'content'>;

/** What goes with the answer to a permission request: how long it counts, or why not. */
export type AnswerMore = Pick<AnswerPermission, 'remember' | 'reason'>;

/** What is taken back of a turn; without files or parts all that it changed. */
export interface RevertChoice {
  readonly paths?: readonly string[];
  /** Parts of one file. */
  readonly hunks?: FileHunks;
  /** Puts it back. */
  readonly undo?: boolean;
  /** Turns before it, the oldest first, whose changes of these files go with it. */
  readonly earlier?: readonly string[];
}

/** Sessions taken up again, forked and removed, and those that only an agent knows. */
export interface SessionLife {
  /** Starts the agent again. */
  readonly resume: (sessionId: string) => Promise<void>;
  /** Resolves to the id of the session that goes on from there. */
  readonly fork: (sessionId: string) => Promise<string>;
  /** Removes all that is kept of it. */
  readonly remove: (sessionId: string) => Promise<void>;
  /** A page of what an agent itself keeps; the first without a cursor. */
  readonly listOfAgent: (agentId: string, cursor: string) => Promise<AgentSessions>;
  /** Opens one of them here; resolves to our id of it. */
  readonly openOfAgent: (agentId: string, session: AgentSession, trust: boolean) => Promise<string>;
}

/** The cells that code of an answer can go to. It is never run. */
export interface Cells {
  /** Number of the cell that an insertion goes below, from 1; `null` where there is none. */
  readonly activeCell: () => number | null;
  /** Makes a cell; Markdown becomes a Markdown cell. */
  readonly insertBelow: (text: string, language: string) => Promise<void>;
  /** Puts a text in the place of that cell's; it can be undone in the notebook. */
  readonly replaceActive?: (text: string, language: string) => Promise<void>;
  /** Told when another cell is the active one. */
  readonly onChange: (listener: () => void) => () => void;
}

/**
 * What a view may ask of its host.
 *
 * A promise is the answer to a click: it rejects with an `Error` whose message
 * is fit to be shown. A control whose callback is missing is not drawn.
 */
export interface Actions {
  /** `null` dismisses a question without options. */
  answerPermission(
    sessionId: string,
    requestId: string,
    optionId: string | null,
    more?: AnswerMore,
  ): Promise<void>;
  /** Answers whether agents may run in a session's folder. */
  readonly trustFolder?: (sessionId: string, requestId: string, trust: boolean) => Promise<void>;
  /** The remembered rules of a session and its folder. */
  readonly listRules?: (sessionId: string) => Promise<RuleEntry[]>;
  readonly revokeRule?: (ruleId: string) => Promise<void>;
  /** Answers a question of the agent; an error may have `fields`, words by field name. */
  readonly answerElicitation?: (
    sessionId: string,
    requestId: string,
    answer: Answer,
  ) => Promise<void>;
  /** Stops a turn; `null` the running one. */
  cancel(sessionId: string, turnId: string | null): Promise<void>;
  /** Ends a command that the host runs for the agent. */
  killTerminal?(sessionId: string, terminalId: string): Promise<void>;
  send?(sessionId: string, text: string, attachments: readonly DraftAttachment[]): Promise<void>;
  /** What `@` can name in a message; without it nothing can be attached. */
  readonly mentions?: MentionSource;
  /** Makes a session and resolves to its id. */
  createSession?(agentId: string): Promise<string>;
  openSession?(sessionId: string): void;
  closeSession?(sessionId: string): Promise<void>;
  /** What concerns sessions as wholes. */
  readonly life?: SessionLife;
  setConfig?(sessionId: string, change: ConfigChange): Promise<void>;
  /** Fetches items by index and puts them into the store with `insert`. */
  loadItems?(sessionId: string, start: number, end: number): Promise<void>;
  /** The server's own address; relative ones of previews lead there. */
  readonly baseUrl?: string;
  openFile?(path: string, line: number | null): void;
  copy?(text: string): Promise<void>;
  readonly cells?: Cells;
  /** Shows the cell that a prompt came from. */
  jumpTo?(origin: Origin): void;
  /** Number of that cell in its notebook, from 1; `null` where that is not open. */
  readonly cellNumber?: (origin: Origin) => number | null;
  /** Shows a turn: at its cell, or in the panel. */
  readonly goToTurn?: (turn: TurnState) => void;
  removeQueued?(sessionId: string, turnId: string): Promise<void>;
  /** Changes the text of a message that waits. */
  editQueued?(turnId: string, text: string): Promise<void>;
  /** Stops the running turn and sends a message that waits. */
  sendNow?(turnId: string): Promise<void>;
  /**
   * A file that a turn changed, with its text before that (or the `earlier` ones) and after;
   * `null` where it is not kept.
   */
  readonly getChanges?: (
    turnId: string,
    path: string,
    earlier?: readonly string[],
  ) => Promise<FileTexts | null>;
  /** Makes files as they were before a turn, or puts that back. */
  readonly revertTurn?: (turnId: string, what: RevertChoice) => Promise<void>;
  /** Shows all that a turn changed, file by file. */
  readonly review?: (turnId: string) => void;
  /** Tries the connection now. */
  reconnect?(): void;
  /** Lines of a session's traffic, as they are on disk. */
  readonly traffic?: (sessionId: string, query: TrafficQuery) => Promise<TrafficPage>;
  /** One of those lines, written out. */
  readonly trafficLine?: (sessionId: string, place: number) => Promise<TrafficDetail>;
  /** Gives the user a file. */
  readonly exportSession?: (sessionId: string, format: ExportFormat) => Promise<void>;
  /** Begins a login; what takes long goes on, and is told in the session's state. */
  login?(sessionId: string, methodId: string): Promise<LoginReply>;
  cancelLogin?(sessionId: string): Promise<void>;
  /** Shows a terminal of the server. */
  openTerminal?(name: string): void;
  /** Lets a package be downloaded and run, as it was shown. */
  allowDownload?(agentId: string, packageShown: string): Promise<void>;
  restartAgent?(agentId: string): Promise<void>;
  /** Asks the server again which agents are ready. */
  refreshAgents?(): Promise<void>;
}

export type MentionGroup = 'errors' | 'variables' | 'cells' | 'documents' | 'files';

/** Something that `@` can name. */
export interface Mention {
  readonly group: MentionGroup;
  readonly label: string;
  /** What stands beside it, e.g. a type. */
  readonly detail: string;
  /** What is written in its place. */
  readonly word: string;
  readonly attachment: DraftAttachment;
}

/** What may be said of the page the composer is in. */
export interface MentionSource {
  /**
   * Looks for what fits, best first; `found` is called again when more is known.
   *
   * Returns the way to stop.
   */
  find(query: string, found: (mentions: readonly Mention[]) => void): () => void;
}
