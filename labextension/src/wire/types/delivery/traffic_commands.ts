/* Made by `make gen` from the models in acp_jupyter; edit those. */

/**
 * Lines of a session's traffic log that pass the filters, in their order.
 *
 * A place is where a line begins in the log, in bytes.
 */
export interface GetTraffic {
  /**
   * The place to read on from: a page's ``end``. Without it the newest lines are read.
   */
  after: number | null;
  /**
   * The place to read back from: a page's ``start``.
   */
  before: number | null;
  direction: ('>' | '<' | '!') | null;
  limit: number;
  /**
   * The method, the kind of update or the kind of note; or part of it.
   */
  method: string;
  name: 'get_traffic';
  session_id: string;
  /**
   * What the line must hold; capital letters make no difference.
   */
  text: string;
}
/**
 * One line of the log, written out.
 */
export interface GetTrafficLine {
  name: 'get_traffic_line';
  place: number;
  session_id: string;
}
/**
 * Result of ``get_traffic_line``.
 */
export interface TrafficDetail {
  /**
   * Whether that is only its beginning.
   */
  cut: boolean;
  place: number;
  /**
   * Its message as indented JSON.
   */
  text: string;
}
/**
 * A line of the log in short.
 */
export interface TrafficLine {
  /**
   * Seconds since the epoch.
   */
  at: number;
  direction: '>' | '<' | '!';
  kind: 'request' | 'response' | 'error' | 'notification' | 'note' | 'unknown';
  /**
   * ACP's method, also of the request that a response answers if that is near; a note's kind.
   */
  method: string;
  place: number;
  /**
   * How its content begins.
   */
  preview: string;
  seq: number;
  /**
   * Bytes.
   */
  size: number;
  /**
   * The kind of a ``session/update``.
   */
  update: string;
}
/**
 * Result of ``get_traffic``.
 *
 * Looking is bounded too: a page may hold few lines or none although there are more.
 */
export interface TrafficPage {
  /**
   * ...to here was looked at.
   */
  end: number;
  lines: TrafficLine[];
  /**
   * Of the whole log, as far as its lines are complete.
   */
  size: number;
  /**
   * Everything from here...
   */
  start: number;
}
