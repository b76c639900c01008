/* Made by `make gen` from the models in acp_jupyter; edit those. */

/**
 * Asked before an agent's first start in a folder. Nothing runs before the answer.
 */
export interface TrustRequest {
  agent_name: string;
  /**
   * Which user has answered, where that is worth telling; in no record.
   */
  answered_by: string;
  asked_at: number | null;
  /**
   * For people: home shortened to ``~``.
   */
  folder: string;
  id: string;
  kind: 'trust_request';
  /**
   * What became of it, in words.
   */
  outcome: string;
  /**
   * Unique in its session.
   */
  request_id: string;
  state: 'pending' | 'trusted' | 'declined' | 'cancelled';
  title: string;
  turn_id: string | null;
  /**
   * What trusting means.
   */
  words: string;
}
