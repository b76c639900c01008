/* Made by `make gen` from the models in acp_jupyter; edit those. */

import type { ElicitationField } from '../packets/elicitation';

/**
 * A form to fill in, or a page to open. ACP: elicitation.
 */
export interface Elicitation {
  /**
   * Which user has answered, where that is worth telling; in no record.
   */
  answered_by: string;
  /**
   * For the record; secrets are not kept.
   */
  answers: ElicitationAnswer[];
  asked_at: number | null;
  description: string;
  fields: ElicitationField[];
  heading: string;
  /**
   * Where ``url`` really leads to.
   */
  host: string;
  id: string;
  kind: 'elicitation';
  message: string;
  mode: 'form' | 'url' | 'other';
  /**
   * What became of it, in words.
   */
  outcome: string;
  /**
   * What an answer names; unique in its session.
   */
  request_id: string;
  state: 'pending' | 'accepted' | 'declined' | 'cancelled' | 'expired';
  /**
   * Who asks, e.g. ``Question from Demo``.
   */
  title: string;
  tool_call_id: string;
  turn_id: string | null;
  url: string;
}
/**
 * What was answered in one field, in words.
 */
export interface ElicitationAnswer {
  label: string;
  name: string;
  text: string;
}
