import { parseSnapshot } from '../../wire/parse_snapshot';
import { isRecord } from '../../wire/read';
import { claimedTurns } from '../../wire/saved_record';
import type { TurnSnapshot } from '../../wire/types';

/** MIME type of a turn in a cell output. */
export const TURN_MIME = 'application/vnd.acp-jupyter.turn+json';

interface AnyBundle {
  readonly data?: unknown;
  readonly metadata?: unknown;
}

export function snapshotOf({ data, metadata }: AnyBundle): TurnSnapshot | null {
  return isRecord(data) ? parseSnapshot(data[TURN_MIME], metadata) : null;
}

/** Whether an output is the record of a turn that has ended. */
export function isFinal(data: unknown): boolean {
  const record = isRecord(data) ? data[TURN_MIME] : undefined;
  return isRecord(record) && record.final === true;
}

/** Ids of the turns that an output claims to show; only the server can confirm one. */
export function claimsOf({ data, metadata }: AnyBundle): string[] {
  return claimedTurns(isRecord(data) ? data[TURN_MIME] : undefined, metadata);
}
