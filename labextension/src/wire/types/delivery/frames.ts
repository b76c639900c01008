/* Made by `make gen` from the models in acp_jupyter; edit those. */

import type { AnswerFrame, AskFrame, DocumentsFrame } from './ask_frames';
import type { Command } from './commands';
import type { AuthMethod } from '../packets/login_models';
import type { Event } from '../transcript/events';
import type { Item } from '../transcript/items';
import type { Bundle } from '../transcript/record';
import type { SessionState, TurnState } from '../transcript/session_state';

export type ClientFrame =
  SubscribeFrame | UnsubscribeFrame | AckFrame | CommandFrame | DocumentsFrame | AnswerFrame;
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
  /**
   * Who the page is among several people; empty where people have no names.
   */
  user: string;
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
 * The session list, whole, when it has changed.
 */
export interface SessionsFrame {
  sessions: SessionSummary[];
  type: 'sessions';
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
