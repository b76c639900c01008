/* Made by `make gen` from the models in acp_jupyter; edit those. */

/**
 * Which notebook cell a prompt came from.
 */
export interface Origin {
  cell_id: string;
  kernel_id: string;
  /**
   * Relative to the server's root, with forward slashes.
   */
  notebook_path: string;
  /**
   * The cell's whole source when it ran.
   */
  source: string;
}
