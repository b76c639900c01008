/* Made by `make gen` from the models in acp_jupyter; edit those. */

import type { JsonValue } from '../JsonValue';
import type { Item } from './items';
import type { AgentInfo, TurnState } from './session_state';

/**
 * A Jupyter MIME bundle.
 */
export interface Bundle {
  data: {
    [k: string]: JsonValue;
  };
  metadata: {
    [k: string]: JsonValue;
  };
}
/**
 * The value of :data:`TURN_MIME`: a pointer to a turn, and a capped copy.
 *
 * Only the server's record of ``turn_id`` gives a view live state and
 * controls; the copy is drawn without them.
 */
export interface TurnSnapshot {
  agent: AgentInfo;
  final: boolean;
  /**
   * Agent and version, model, mode, policy, files changed, tokens, duration.
   */
  footer: string[];
  items: Item[];
  session_id: string;
  session_title: string;
  turn: TurnState;
  turn_id: string;
  version: number;
}
