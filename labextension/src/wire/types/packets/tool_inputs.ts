/* Made by `make gen` from the models in acp_jupyter; edit those. */

/**
 * S1.19.
 */
export interface TodoItem {
  active_form: string;
  content: string;
  status: 'pending' | 'in_progress' | 'completed';
}
