/* Made by `make gen` from the models in acp_jupyter; edit those. */

/**
 * A line of a file that a search has found.
 */
export interface SearchHit {
  /**
   * From 1.
   */
  line: number;
  path: string;
  text: string;
}
