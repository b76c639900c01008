import { parseSnapshot } from '../../wire/parse_snapshot';
import { isRecord, list } from '../../wire/read';
import type { TurnSnapshot } from '../../wire/types';

/** Most turns that are read from one file. */
const MAX_TURNS = 1_000;

/** Parses the turns of a shared file: each as a notebook has it, with the metadata of its output. */
export function parseShared(source: string): TurnSnapshot[] {
  const value: unknown = JSON.parse(source);
  return isRecord(value)
    ? list(value, 'turns', turn => parseSnapshot(turn.record, turn.metadata), MAX_TURNS)
    : [];
}
