import { flag, isRecord, number, text } from '../../wire/read';
import type { CheckedCell, CheckLine, OutputDifference } from '../../wire/types';

const VERDICTS: readonly CheckedCell['verdict'][] = ['same', 'different', 'failed', 'skipped'];

/** Reads a line of a check; `null` for one of a kind that is not known. */
export function parseCheckLine(line: string): CheckLine | null {
  const told: unknown = JSON.parse(line);
  if (!isRecord(told)) {
    return null;
  }
  switch (text(told, 'type')) {
    case 'started':
      return { type: 'started', cells: number(told, 'cells') ?? 0 };
    case 'running':
      return { type: 'running', number: number(told, 'number') ?? 0 };
    case 'ended':
      return { type: 'ended', words: text(told, 'words') };
    case 'cell':
      return {
        type: 'cell',
        cell_id: text(told, 'cell_id'),
        number: number(told, 'number') ?? 0,
        verdict: VERDICTS.find(each => each === told.verdict) ?? 'failed',
        reason: text(told, 'reason'),
        differences: (Array.isArray(told.differences) ? told.differences : []).flatMap(difference),
      };
    default:
      return null;
  }
}

function difference(told: unknown): OutputDifference[] {
  const side = (value: unknown) => (typeof value === 'string' ? value : null);
  return isRecord(told)
    ? [
        {
          kind: text(told, 'kind'),
          old: side(told.old),
          new: side(told.new),
          counts: flag(told, 'counts'),
        },
      ]
    : [];
}
