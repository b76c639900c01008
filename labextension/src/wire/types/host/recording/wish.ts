/* Made by `make gen` from the models in acp_jupyter; edit those. */

/**
 * Keep a record of the session, or play one in the agent's place.
 */
export interface RecordWish {
  mode: 'record' | 'replay';
  /**
   * The record's folder, or the notebook's file, from the notebook's folder; default: beside
   * the notebook, under its name.
   */
  path: string;
  /**
   * Changes with each kernel and each ``on``: another run begins with other sessions.
   */
  run: string;
}
