import { describe, expect, it, vi } from 'vitest';

import type { Client } from '../../delivery/client';
import type { CellJson } from '../documents/cells';
import type { ChangedCell } from './deeds';
import { RevertReports } from './told';

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
  const revert = vi.fn<Client['changes']['revert']>(() => Promise.resolve());
  const told = new RevertReports({ revert });
  const sent = () => revert.mock.calls.map(([turnId, { undo }]) => [turnId, undo]);
  return { told, sent, revert };
}

describe('what was taken back at a cell', () => {
  it('is told of each turn, the newest first, and once that it was undone', async () => {
    const { told, sent, revert } = telling();
    told.tell(deed('one', 'two'));
    await vi.waitFor(() =>
      expect(sent()).toEqual([
        ['two', false],
        ['one', false],
      ]),
    );
    expect(revert.mock.calls[0]?.[1]).toMatchObject({ inDocument: true });
    told.look(() => false);
    told.look(() => true);
    told.look(() => true);
    await vi.waitFor(() =>
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
    told.tell(deed('one', 'two'));
    await vi.waitFor(() => expect(sent()).toHaveLength(2));
    warn.mockRestore();
  });
});
