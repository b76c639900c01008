/* Made by `make gen` from the models in acp_jupyter; edit those. */

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
