/* Made by `make gen` from the models in acp_jupyter; edit those. */

/**
 * A login that goes on, or has failed.
 */
export interface LoginState {
  /**
   * Why it failed.
   */
  message: string;
  method_id: string;
  /**
   * Of the method, for people.
   */
  name: string;
  since: number | null;
  state: 'running' | 'failed';
  /**
   * The name of the terminal that it happens in.
   */
  terminal: string;
}
