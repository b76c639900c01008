/* Made by `make gen` from the models in acp_jupyter; edit those. */

/**
 * One finding of a language server after a write (S1.25).
 */
export interface Diagnostic {
  /**
   * From 1.
   */
  line: number | null;
  message: string;
  path: string;
  severity: 'error' | 'warning' | 'info';
}
