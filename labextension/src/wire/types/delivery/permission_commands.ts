/* Made by `make gen` from the models in acp_jupyter; edit those. */

import type { Rule } from '../packets/permission_notes';

/**
 * The rules that are remembered, of one session and its folder or of all.
 */
export interface ListRules {
  name: 'list_rules';
  session_id: string;
}
/**
 * Forget a rule.
 */
export interface RevokeRule {
  name: 'revoke_rule';
  rule_id: string;
}
/**
 * Let agents run in a folder, or answer a session's question about its own.
 */
export interface TrustFolder {
  /**
   * Absolute, or relative to the server's root.
   */
  folder: string;
  name: 'trust_folder';
  request_id: string;
  session_id: string;
  /**
   * False only answers a question with no.
   */
  trust: boolean;
}
/**
 * The trusted folders.
 */
export interface ListTrust {
  name: 'list_trust';
}
/**
 * Trust a folder no more. Agents that run go on.
 */
export interface RevokeTrust {
  folder: string;
  name: 'revoke_trust';
}
/**
 * A remembered rule, and where it counts.
 */
export interface RuleEntry {
  /**
   * Of a folder's rule.
   */
  folder: string;
  rule: Rule;
  /**
   * Of a session's rule.
   */
  session_id: string;
  /**
   * As one would write it, e.g. ``execute:git status *``.
   */
  text: string;
}
