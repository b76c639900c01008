/* Made by `make gen` from the models in acp_jupyter; edit those. */

export type SessionCommand =
  CloseSession | DeleteSession | ForkSession | ResumeSession | ListAgentSessions | OpenAgentSession;
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
