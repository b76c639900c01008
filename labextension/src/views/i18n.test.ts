import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { duration } from './i18n';

const FILE = join(import.meta.dirname, '../../../tests/golden/durations.json');

type Table = readonly (readonly [number | null, string])[];

function isTable(value: unknown): value is Table {
  return Array.isArray(value) && value.every(row => Array.isArray(row) && row.length === 2);
}

it('writes a duration as Python does', () => {
  const table: unknown = JSON.parse(readFileSync(FILE, 'utf8'));
  const rows = isTable(table) ? table : [];
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.map(([seconds]) => [seconds, duration(seconds)])).toEqual(rows);
});
