/* Made by `make gen` from the models in acp_jupyter; edit those. */

/**
 * A folder, and with it all below it.
 */
export interface TrustedFolder {
  /**
   * When it was trusted; null where the configuration says so.
   */
  at: number | null;
  path: string;
}
