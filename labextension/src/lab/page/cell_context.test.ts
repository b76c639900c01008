import { describe, expect, it } from 'vitest';

import {
  FRAME_LEFT_OUT,
  contextIn,
  contextOf,
  hiddenCode,
  isLeftOut,
  setContext,
  shownFrames,
  withoutLeftOut,
} from './cell_context';
import type { Marked } from './cell_context';

class Model implements Marked {
  readonly metadata = new Map<string, unknown>();

  getMetadata(key: string): unknown {
    return this.metadata.get(key);
  }

  setMetadata(key: string, value: unknown): void {
    this.metadata.set(key, value);
  }

  deleteMetadata(key: string): void {
    this.metadata.delete(key);
  }
}

describe('what the user set for cells', () => {
  it('counts only if it is known', () => {
    expect(contextIn({ acp: { context: 'left-out' } })).toBe('left-out');
    for (const context of ['', 'LEFT-OUT', 3, null, ['pinned'], {}]) {
      expect(contextIn({ acp: { context } })).toBe(null);
    }
    expect(contextIn({ tags: ['left-out'], acp: [] })).toBe(null);
    expect(contextOf(new Model())).toBe(null);
  });

  it('is set and removed beside what else is known of a cell', () => {
    const model = new Model();
    setContext(model, 'left-out');
    expect(isLeftOut(model)).toBe(true);
    setContext(model, null);
    expect(model.metadata.size).toBe(0);
    model.setMetadata('acp', { turn: 't', agent: 'demo' });
    setContext(model, 'pinned');
    expect(contextOf(model)).toBe('pinned');
    expect(isLeftOut(model)).toBe(false);
    setContext(model, null);
    expect(model.getMetadata('acp')).toEqual({ turn: 't', agent: 'demo' });
  });

  it('hides cells in the JSON of a notebook', () => {
    const cell = (id: string, context: string) => ({
      ...{ cell_type: 'code', id, source: `hush of ${id}`, outputs: [`hush of ${id}`] },
      metadata: { acp: { context } },
    });
    const book = { cells: [cell('a', 'left-out'), cell('b', 'pinned')], nbformat: 4 };
    const shown = JSON.stringify(withoutLeftOut(book));
    expect(shown).not.toContain('hush of a');
    expect(shown).toContain('This cell is left out by the user.');
    expect(shown).toContain('hush of b');
    expect(withoutLeftOut('text')).toBe('text');
  });

  it('hides the code of such cells in the tracebacks of others', () => {
    const isHidden = hiddenCode([
      ['left-out', 3],
      [null, 4],
      [null, null],
    ]);
    const frames = [
      'Cell \u001b[32mIn[4]\u001b[39m, line 1',
      'Cell \u001b[32mIn[3]\u001b[39m, line 2\nhush',
      '<ipython-input-3-5b1f> in f()\nhush',
      '/tmp/ipykernel_12/345.py in f()\nhush',
      'Cell In[2], line 2\nhush',
      'ValueError: v',
    ];
    const hidden = Array.from({ length: 4 }, () => FRAME_LEFT_OUT);
    expect(shownFrames(frames, isHidden)).toEqual([
      'Cell In[4], line 1',
      ...hidden,
      'ValueError: v',
    ]);
    expect(shownFrames(frames, null)[1]).toBe('Cell In[3], line 2\nhush');
    expect(shownFrames(["1. stop('hush') # at line 2"], isHidden)).toEqual([]);
    expect(hiddenCode([['pinned', 3]])).toBe(null);
    const cells = [
      { cell_type: 'code', metadata: { acp: { context: 'left-out' } }, execution_count: 3 },
      { cell_type: 'code', metadata: {}, execution_count: 4, outputs: [{ traceback: frames }] },
    ];
    expect(JSON.stringify(withoutLeftOut({ cells }))).not.toContain('hush');
  });
});
