import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { file } from '../../../tests/support/review';
import type { Client } from '../../delivery/client';
import type { FileTexts } from '../../wire/types';
import { FetchedSteps } from './fetchedSteps';

const notebook = (source: string) =>
  JSON.stringify({
    cells: [{ id: 'a', cell_type: 'code', source, metadata: {}, outputs: [] }],
    ...{ metadata: {}, nbformat: 4, nbformat_minor: 5 },
  });

const texts: FileTexts = {
  ...file('n.ipynb'),
  ...{ old_text: notebook('1'), new_text: notebook('2'), too_large: false, edited_cells: [] },
};
const by = { turnId: 'one', agent: 'demo', alone: true };

function fetching() {
  const asked = vi.fn<Client['changes']['file']>();
  const come = vi.fn();
  return { asked, come, steps: new FetchedSteps({ file: asked }, come) };
}

describe('what a turn did to cells', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is fetched once, and told when it has come', async () => {
    const { asked, come, steps } = fetching();
    asked.mockResolvedValue(texts);
    expect(steps.of(by, 'n.ipynb')).toEqual([]);
    expect(steps.of(by, 'n.ipynb')).toEqual([]);
    await vi.advanceTimersByTimeAsync(0);
    expect(come).toHaveBeenCalledOnce();
    expect(steps.of(by, 'n.ipynb').map(({ cellId }) => cellId)).toEqual(['a']);
    expect(asked).toHaveBeenCalledOnce();
  });

  it('is asked for again where the host was away, and not for ever', async () => {
    const { asked, come, steps } = fetching();
    asked.mockRejectedValueOnce(new Error('away')).mockResolvedValue(texts);
    steps.of(by, 'n.ipynb');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(come).toHaveBeenCalledOnce();
    asked.mockReset().mockRejectedValue(new Error('away'));
    steps.of({ ...by, turnId: 'two' }, 'n.ipynb');
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(asked).toHaveBeenCalledTimes(7);
  });

  it('is not asked for again once the notebook is closed, or where it is not kept', async () => {
    const { asked, come, steps } = fetching();
    asked.mockRejectedValueOnce(new Error('away')).mockResolvedValue(null);
    steps.of(by, 'n.ipynb');
    steps.of({ ...by, turnId: 'two' }, 'n.ipynb');
    await vi.advanceTimersByTimeAsync(0);
    steps.dispose();
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(asked).toHaveBeenCalledTimes(2);
    expect(come).not.toHaveBeenCalled();
  });
});
