/* Made by `make gen` from the models in acp_jupyter; edit those. */

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
   * Whose prompts it allows things for; empty for all.
   */
  user: string;
  /**
   * The same for people.
   */
  words: string;
}
