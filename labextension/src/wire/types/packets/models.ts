/* Made by `make gen` from the models in acp_jupyter; edit those. */

/**
 * ACP: tool call location.
 */
export interface Location {
  line: number | null;
  path: string;
}
