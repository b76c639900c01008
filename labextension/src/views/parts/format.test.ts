import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { duration } from './format';

const FILE = join(import.meta.dirname, '../../../../tests/golden/durations.json');

it('S4.24: writes a duration as Python does', () => {
  const rows = listOf(JSON.parse(readFileSync(FILE, 'utf8')));
  expect(rows.length).toBeGreaterThan(20);
  for (const row of rows) {
    const [seconds, written] = listOf(row);
    expect(duration(typeof seconds === 'number' ? seconds : null), String(seconds)).toBe(written);
  }
});

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
