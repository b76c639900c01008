/* Made by `make gen` from the models in acp_jupyter; edit those. */

/**
 * ACP: auth methods of the answer to ``initialize``.
 */
export interface AuthMethod {
  /**
   * What a login in a terminal adds to the agent's own command: variables and arguments.
   */
  adds: string;
  description: string;
  id: string;
  /**
   * Who logs in: the agent itself, its own program in a terminal, or a variable.
   */
  kind: 'agent' | 'terminal' | 'env_var' | 'other';
  /**
   * Where a key is to be had.
   */
  link: string;
  name: string;
  variables: AuthVariable[];
}
/**
 * A variable that an agent reads a secret from. Its value is never asked for here.
 */
export interface AuthVariable {
  label: string;
  name: string;
  optional: boolean;
  secret: boolean;
}
