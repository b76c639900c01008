import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { parseSnapshot } from './parse_snapshot';
import { isRecord } from './read';
import { claimedTurns } from './saved_record';

interface Golden {
  readonly whole: Record<string, unknown>;
  readonly record: Record<string, unknown>;
  readonly metadata: Record<string, unknown>;
}

const GOLDEN = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../tests/golden/records.json'), 'utf8'),
) as Record<string, Golden>;

/**
 * Fields that are not saved, since only a running turn needs them, or the notebook has them
 * elsewhere.
 */
const NOT_SAVED = new Set([
  ...['id', 'parent_id', 'turn_id', 'request_id', 'tool_call_id', 'terminal_id', 'plan_id'],
  ...['artifact_id', 'asked_at', 'answered_by', 'tool_name', 'raw_input', 'raw_output', 'agent'],
  ...['prompt', 'user', 'tokens', 'input_tokens', 'output_tokens', 'permission', 'priority'],
  ...['own', 'released', 'cwd', 'size'],
]);

function saved(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(saved);
  }
  if (!isRecord(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !NOT_SAVED.has(name))
      .map(([name, each]) =>
        // Times are saved in milliseconds.
        typeof each === 'number' && /_at$|_seconds$/.test(name)
          ? [name, each.toFixed(3)]
          : [name, saved(each)],
      ),
  );
}

describe.each(Object.entries(GOLDEN))('the record of %s', (_name, { whole, record, metadata }) => {
  it('is read as the whole turn', () => {
    expect(saved(parseSnapshot(record, metadata))).toEqual(saved(parseSnapshot(whole, {})));
  });

  it('is drawn without its metadata, and claims no turn then', () => {
    expect(parseSnapshot(record, undefined)?.items).toHaveLength(
      parseSnapshot(record, metadata)?.items.length ?? 0,
    );
    expect(claimedTurns(record, undefined)).toEqual([]);
  });
});

describe('the turns that an output claims', () => {
  it('are the newest first where branches were merged', () => {
    const runs = { a: 's 5 0 1', b: 's 7', c: 's' };
    expect(claimedTurns({ version: 2 }, { acp_jupyter: runs })).toEqual(['b', 'a', 'c']);
  });

  it('is one in the form of earlier versions', () => {
    expect(claimedTurns({ version: 1, turn_id: 'a' }, {})).toEqual(['a']);
    expect(claimedTurns(undefined, { acp_jupyter: { turn_id: 'a' } })).toEqual(['a']);
  });

  it('are none in nonsense', () => {
    for (const odd of [null, 1, [], { acp_jupyter: [] }, { acp_jupyter: 'x' }]) {
      expect(claimedTurns(undefined, odd)).toEqual([]);
    }
  });
});
