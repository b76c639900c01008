/* Made by `make gen` from the models in acp_jupyter; edit those. */

import type { JsonValue } from '../JsonValue';

/**
 * Change a prompt before it is sent; new text keeps what is attached.
 */
export interface EditQueued {
  name: 'edit_queued';
  /**
   * Text, or ACP content blocks.
   */
  prompt:
    | string
    | {
        [k: string]: JsonValue;
      }[];
  turn_id: string;
}
/**
 * Stop the running turn, and send a prompt that waits before the others.
 */
export interface SendNow {
  name: 'send_now';
  turn_id: string;
}
