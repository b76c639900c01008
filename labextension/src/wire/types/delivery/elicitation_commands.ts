/* Made by `make gen` from the models in acp_jupyter; edit those. */

import type { JsonValue } from '../JsonValue';

/**
 * Answer a question of the agent, once. ACP: elicitation/create.
 */
export interface AnswerElicitation {
  action: 'accept' | 'decline' | 'cancel';
  /**
   * Of an accepted form, by field name.
   */
  content: {
    [k: string]: JsonValue;
  };
  name: 'answer_elicitation';
  request_id: string;
  session_id: string;
}
