import { expect, it } from 'vitest';

import { until } from '../../../tests/support/wait';
import { RunOrder } from './run_order';

/** A run that ends when the test says so. */
function run(started: string[], name: string) {
  const ends: { end: (well: boolean) => void; fail: () => void } = {
    end: () => undefined,
    fail: () => undefined,
  };
  const ran = new Promise<boolean>((resolve, reject) => {
    ends.end = resolve;
    ends.fail = () => reject(new Error(name));
  });
  const start = () => {
    started.push(name);
    return ran;
  };
  return { start, ...ends };
}

function notebook() {
  const order = new RunOrder();
  const started: string[] = [];
  const waiting: string[] = [];
  const cell = (name: string) => {
    const made = run(started, name);
    return { ...made, ran: order.cell(made.start, () => waiting.push(name)) };
  };
  const prompt = (name: string) => {
    const made = run(started, name);
    return { ...made, ran: order.prompt(made.start, () => waiting.push(name)) };
  };
  return { started, waiting, cell, prompt };
}

it('runs the cells of one action in their order', async () => {
  const { started, waiting, cell, prompt } = notebook();
  const [a, b, p, c] = [cell('a'), cell('b'), prompt('p'), cell('c')];
  expect([started, waiting]).toEqual([
    ['a', 'b'],
    ['p', 'c'],
  ]);
  a.end(true);
  b.end(true);
  await until(() => started.includes('p'));
  expect(started).not.toContain('c');
  p.end(true);
  await until(() => started.includes('c'));
  c.end(true);
  expect(await c.ran).toBe(true);
});

it('sends a prompt that is run alone at once, and later cells wait for it', async () => {
  const { started, cell, prompt } = notebook();
  cell('long');
  await Promise.resolve();
  const p = prompt('p');
  await until(() => started.includes('p'));
  const later = cell('later');
  const other = prompt('q');
  p.end(true);
  await until(() => started.includes('later'));
  later.end(true);
  await until(() => started.includes('q'));
  other.end(true);
  expect(await other.ran).toBe(true);
});

it.each(['end', 'fail'] as const)('runs nothing after a cell that fails: %s', async how => {
  const { started, cell, prompt } = notebook();
  const [a, p, c] = [cell('a'), prompt('p'), cell('c')];
  a.ran.catch(() => undefined);
  if (how === 'end') {
    a.end(false);
  } else {
    a.fail();
  }
  expect([await p.ran, await c.ran, started]).toEqual([false, false, ['a']]);
});
