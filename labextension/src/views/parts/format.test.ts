import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { duration } from './format';

const FILE = join(import.meta.dirname, '../../../../tests/golden/durations.json');

it('S4.24: writes a duration as Python does', () => {
  const table: unknown = JSON.parse(readFileSync(FILE, 'utf8'));
  const rows: unknown[] = Array.isArray(table) ? table : [];
  expect(rows.length).toBeGreaterThan(20);
  for (const row of rows) {
    const [seconds, written]: unknown[] = Array.isArray(row) ? row : [];
    expect([seconds, duration(typeof seconds === 'number' ? seconds : null)]).toEqual([
      seconds,
      written,
    ]);
  }
});
