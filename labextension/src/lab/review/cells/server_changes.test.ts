import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { file } from '../../../../tests/support/build';
import { until } from '../../../../tests/support/wait';
import type { Actions } from '../../../views';
import type { FileTexts, RevertTurn } from '../../../wire/types';
import type { CellJson } from '../../documents/merge/notebook_json';
import type { ChangedCell } from './changed_cells';
import { FetchedSteps, RevertReports } from './server_changes';

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
  const asked = vi.fn<NonNullable<Actions['getChanges']>>();
  const come = vi.fn();
  return { asked, come, steps: new FetchedSteps(asked, come) };
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

const cell = (source: string): CellJson => ({
  ...{ id: 'a', cell_type: 'code', source, metadata: {} },
  ...{ outputs: [], execution_count: null, attachments: null },
});

function deed(...turnIds: string[]): ChangedCell {
  const range = { old_start: 0, old_end: 1, new_start: 0, new_end: 1 };
  const what = { cellId: 'a', before: cell('1'), after: cell('2'), above: [], agent: 'demo' };
  const steps = turnIds.map(turnId => ({ ...what, turnId, path: 'n.ipynb', range, sure: true }));
  return { ...what, steps, sure: true };
}

function telling() {
  const revert = vi.fn<(command: RevertTurn) => Promise<void>>(() => Promise.resolve());
  const told = new RevertReports(revert);
  const sent = () => revert.mock.calls.map(([{ turn_id, undo }]) => [turn_id, undo]);
  return { told, sent, revert };
}

describe('what was taken back at a cell', () => {
  it('is told of each turn, the newest first, and once that it was undone', async () => {
    const { told, sent, revert } = telling();
    told.report(deed('one', 'two'));
    await until(() =>
      expect(sent()).toEqual([
        ['two', false],
        ['one', false],
      ]),
    );
    expect(revert.mock.calls[0]?.[0]).toMatchObject({ in_document: true });
    told.check(() => false);
    told.check(() => true);
    told.check(() => true);
    await until(() =>
      expect(sent().slice(2)).toEqual([
        ['one', true],
        ['two', true],
      ]),
    );
  });

  it('is done all the same where the host is away', async () => {
    const { told, sent, revert } = telling();
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    revert.mockRejectedValue(new Error('away'));
    told.report(deed('one', 'two'));
    await until(() => expect(sent()).toHaveLength(2));
    warn.mockRestore();
  });
});
