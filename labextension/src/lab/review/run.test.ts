import { beforeEach, describe, expect, it } from 'vitest';

import { forgetRun, rememberedRun, rememberRun } from './run';

const KEY = 'acp-jupyter:runs';

const run = (path: string, ...turnIds: string[]) => ({ path, name: 'Run All', turnIds });

beforeEach(() => localStorage.clear());

describe('runs that were not looked at', () => {
  it('are remembered, the newest of each notebook', () => {
    rememberRun(run('a.ipynb', 't1', 't2'));
    rememberRun(run('b.ipynb', 't3'));
    rememberRun(run('a.ipynb', 't4', 't5'));
    expect(rememberedRun('a.ipynb')).toEqual(run('a.ipynb', 't4', 't5'));
    expect(rememberedRun('b.ipynb')).toEqual(run('b.ipynb', 't3'));
    expect(rememberedRun('c.ipynb')).toBeNull();
  });

  it('are forgotten once they were, and not for an older one', () => {
    rememberRun(run('a.ipynb', 't4'));
    forgetRun(run('a.ipynb', 't1'));
    expect(rememberedRun('a.ipynb')).not.toBeNull();
    forgetRun(run('a.ipynb', 't3', 't4'));
    expect(rememberedRun('a.ipynb')).toBeNull();
  });

  it('are bounded, and what is no run is passed over', () => {
    for (let number = 0; number < 30; number += 1) {
      rememberRun(run(`${number}.ipynb`, 't'));
    }
    expect(rememberedRun('9.ipynb')).toBeNull();
    expect(rememberedRun('10.ipynb')).not.toBeNull();
    for (const odd of ['{', '7', '[1, {"path": 3}, {"path": "a.ipynb", "turnIds": []}]']) {
      localStorage.setItem(KEY, odd);
      expect(rememberedRun('a.ipynb')).toBeNull();
    }
  });
});
