/* Made by `make gen` from the models in acp_jupyter; edit those. */

/**
 * End a command that the host runs for the agent; its output stays.
 */
export interface KillTerminal {
  name: 'kill_terminal';
  session_id: string;
  terminal_id: string;
}
