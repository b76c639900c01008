import { parseSnapshot } from '../../wire/parse_snapshot';
import { isRecord, text } from '../../wire/read';
import type { TurnSnapshot } from '../../wire/types';

/** MIME type of a turn in a cell output. */
export const TURN_MIME = 'application/vnd.acp-jupyter.turn+json';

/** Key of the output metadata that names the turn where there is no turn MIME type. */
const METADATA_KEY = 'acp_jupyter';

interface AnyBundle {
  readonly data?: unknown;
  readonly metadata?: unknown;
}

export function snapshotOf(data: unknown): TurnSnapshot | null {
  return isRecord(data) ? parseSnapshot(data[TURN_MIME]) : null;
}

/** Id of the turn that an output claims to show; only the server can confirm it. */
export function claimedTurn({ data, metadata }: AnyBundle): string | null {
  const pointer = isRecord(data) ? data[TURN_MIME] : undefined;
  const mark = isRecord(metadata) ? metadata[METADATA_KEY] : undefined;
  const claim = isRecord(pointer) ? pointer : mark;
  const turnId = isRecord(claim) ? text(claim, 'turn_id') : '';
  return turnId === '' ? null : turnId;
}
