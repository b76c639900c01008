import { readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';

/** The sheets for a widget's content; the others are for JupyterLab's own pages. */
const SHEETS = ['index', 'cards', 'code', 'diff', 'panel', 'composer', 'sessions'];

const read = (name: string) => readFile(`style/${name}.css`, 'utf8');

test('each variable of JupyterLab has a value in other pages', async () => {
  const texts = await Promise.all(SHEETS.map(read));
  const used = new Set(texts.join('').match(/(?<=var\()--jp-[\w-]+(?=\))/g));
  const given = new Set((await read('variables')).match(/--jp-[\w-]+(?=:)/g));
  expect(used.size).toBeGreaterThan(20);
  expect([...used].filter(name => !given.has(name))).toEqual([]);
  expect([...given].filter(name => !texts.join('').includes(name))).toEqual([]);
});
