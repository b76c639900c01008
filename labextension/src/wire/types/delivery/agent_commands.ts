/* Made by `make gen` from the models in acp_jupyter; edit those. */

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
 * End a login that goes on.
 */
export interface CancelLogin {
  name: 'cancel_login';
  session_id: string;
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
