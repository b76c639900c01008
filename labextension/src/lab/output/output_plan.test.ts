import { expect, test } from 'vitest';

import type { SavedOutput } from '../../wire/results';
import { TURN_MIME } from './mime';
import { OutputMemory, planOutputs, standing } from './output_plan';
import type { CellState, Memory, OutputState } from './output_plan';

const SOURCE = '%%acp\nDo it';

function pointer(turn_id: string, change: Record<string, number | boolean> = {}) {
  const { final = false, queued_at = 1, ended_at = 0 } = change;
  const turn = { turn_id, session_id: 's', queued_at, ended_at: ended_at || null };
  return { version: 1, turn_id, session_id: 's', final, turn, items: [] };
}

/** The saved output of a turn that ran from `queued_at` to `ended_at`; 0: it still runs. */
function saved(turn_id: string, queued_at = 1, ended_at = 0): SavedOutput {
  const done = ended_at > 0;
  const data = {
    [TURN_MIME]: pointer(turn_id, { final: done, queued_at, ended_at }),
    'text/markdown': `answer of ${turn_id}`,
  };
  return {
    turn_id,
    session_id: 's',
    cell_id: 'c',
    source: SOURCE,
    done,
    queued_at,
    ended_at: done ? ended_at : null,
    bundle: { data, metadata: {} },
  };
}

function cell(change: Partial<CellState> = {}): Map<string, CellState> {
  return new Map([['c', { source: SOURCE, running: false, outputs: [], ...change }]]);
}

function memory(change: Partial<Memory> = {}): Memory {
  const none = new Set<string>();
  const sets = { seen: none, watched: none, asked: none, accepted: none };
  return { ...sets, newest: new Map(), savedAt: null, ...change };
}

const first: OutputState = {
  data: { [TURN_MIME]: pointer('t1'), 'text/plain': '…' },
  metadata: {},
};

const stream: OutputState = {};

const kinds = (...args: Parameters<typeof planOutputs>) =>
  planOutputs(...args).map(action => action.kind);

test('the output of a running turn is left alone, that of a done one replaced in place', () => {
  const cells = cell({ outputs: [stream, first] });
  expect(kinds(cells, [saved('t1')], memory())).toEqual([]);
  expect(planOutputs(cells, [saved('t1', 1, 9)], memory())).toMatchObject([
    { kind: 'replace', index: 1 },
  ]);
});

test('an equal output is left alone, so that keeping twice changes nothing', () => {
  const done = saved('t1', 1, 9);
  const cells = cell({ outputs: [structuredClone(done.bundle)] });
  expect(kinds(cells, [done], memory())).toEqual([]);
  expect(standing(cells.get('c'), done)).toBe('final');
});

test('a missing output is inserted: running, or ended after the file was written', () => {
  expect(kinds(cell(), [saved('t1')], memory({ savedAt: 50 }))).toEqual(['insert']);
  expect(kinds(cell(), [saved('t1', 1, 60)], memory({ savedAt: 50 }))).toEqual(['insert']);
});

test('an output that the user may have taken away does not come back', () => {
  expect(kinds(cell(), [saved('t1', 1, 40)], memory({ savedAt: 50 }))).toEqual([]);
  expect(kinds(cell(), [saved('t1')], memory({ seen: new Set(['t1']) }))).toEqual([]);
});

test('a cell that runs here waits for its own display', () => {
  expect(kinds(cell({ running: true }), [saved('t1')], memory())).toEqual(['wait']);
  expect(kinds(cell({ running: true }), [saved('t1', 1, 9)], memory())).toEqual(['wait']);
});

test('of a cell that was run again only the newest turn is inserted, in place of the older', () => {
  // Sessions come one after the other, so the order of the list means nothing.
  const savedOutputs = [saved('t2', 20), saved('t1', 10, 15)];
  expect(planOutputs(cell(), savedOutputs, memory())).toMatchObject([
    { kind: 'insert', saved: { turn_id: 't2' }, drop: [] },
  ]);
  const old = structuredClone(saved('t1', 10, 15).bundle);
  expect(planOutputs(cell({ outputs: [stream, old] }), savedOutputs, memory())).toMatchObject([
    { kind: 'insert', saved: { turn_id: 't2' }, drop: [1] },
  ]);
  const both = cell({ outputs: [{ data: { [TURN_MIME]: pointer('t2') }, metadata: {} }] });
  expect(kinds(both, savedOutputs, memory())).toEqual([]);
});

test('two turns that stand in one cell are both finished', () => {
  const second: OutputState = { data: { [TURN_MIME]: pointer('t2') }, metadata: {} };
  const cells = cell({ outputs: [first, second] });
  expect(planOutputs(cells, [saved('t1', 1, 9), saved('t2', 2, 9)], memory())).toMatchObject([
    { kind: 'replace', index: 0 },
    { kind: 'replace', index: 1 },
  ]);
});

test('the same turn twice is one too many', () => {
  const done = saved('t1', 1, 9);
  const cells = cell({ outputs: [first, stream, structuredClone(done.bundle)] });
  expect(planOutputs(cells, [done], memory())).toMatchObject([
    { kind: 'remove', index: 2 },
    { kind: 'replace', index: 0 },
  ]);
});

test('a widget view is known by its metadata, and gives way once its cell has ended', () => {
  const widget: OutputState = {
    data: { 'application/vnd.jupyter.widget-view+json': { model_id: 'm' }, 'text/plain': '…' },
    metadata: { acp_jupyter: { turn_id: 't1' } },
  };
  expect(kinds(cell({ outputs: [widget], running: true }), [saved('t1')], memory())).toEqual([]);
  expect(kinds(cell({ outputs: [widget] }), [saved('t1')], memory())).toEqual(['replace']);
});

test('a turn that was replayed is known by what it says', () => {
  const replayed = (turnId: string): SavedOutput => ({
    ...saved(turnId, 1, 9),
    bundle: { data: { [TURN_MIME]: { version: 2, final: true } }, metadata: {} },
  });
  const again = [replayed('t1'), replayed('t2')];
  const shown = structuredClone(replayed('t1').bundle);
  expect(kinds(cell({ outputs: [shown] }), again, memory())).toEqual([]);
  expect(kinds(cell({ outputs: [shown, shown] }), again, memory())).toEqual([]);
  expect(planOutputs(cell({ outputs: [stream, first] }), again, memory())).toMatchObject([
    { kind: 'replace', index: 1, saved: { turn_id: 't1' } },
    { kind: 'insert', saved: { turn_id: 't2' }, drop: [1] },
  ]);
});

test('an output that names runs of two branches is left alone', () => {
  const data = { [TURN_MIME]: { version: 2, final: true } };
  const done: SavedOutput = {
    ...saved('t1', 1, 9),
    bundle: { data, metadata: { acp_jupyter: { t1: 's 1' } } },
  };
  const merged = { data, metadata: { acp_jupyter: { t1: 's 1', t0: 's 2' } } };
  expect(kinds(cell({ outputs: [merged] }), [done], memory())).toEqual([]);
});

test('under another source nothing is put without asking, once', () => {
  const done = saved('t1', 1, 9);
  const missing = cell({ source: 'x = 1' });
  const present = cell({ source: 'x = 1', outputs: [first] });
  for (const cells of [missing, present]) {
    expect(kinds(cells, [done], memory())).toEqual(['confirm_insert']);
    expect(kinds(cells, [done], memory({ asked: new Set(['t1']) }))).toEqual([]);
    expect(kinds(cells, [saved('t1')], memory())).toEqual([]);
  }
  const accepted = memory({ asked: new Set(['t1']), accepted: new Set(['t1']) });
  expect(kinds(missing, [done], accepted)).toEqual(['insert']);
  expect(kinds(present, [done], accepted)).toEqual(['replace']);
});

test('a deleted cell is told of once, if its turn ran while the page was open', () => {
  const none = new Map<string, CellState>();
  const done = saved('t1', 1, 9);
  expect(kinds(none, [done], memory())).toEqual([]);
  expect(kinds(none, [saved('t1')], memory({ watched: new Set(['t1']) }))).toEqual([]);
  const watched = new Set(['t1']);
  expect(kinds(none, [done], memory({ watched }))).toEqual(['report_gone']);
  expect(kinds(none, [done], memory({ watched, asked: watched }))).toEqual([]);
  // The cell was run again, and its newer turn is reported.
  const both = memory({ watched: new Set(['t1', 't2']) });
  const plan = planOutputs(none, [done, saved('t2', 2, 9)], both);
  expect(plan.map(action => 'saved' in action && action.saved.turn_id)).toEqual(['t2']);
});

test('a cell that is deleted after the end of its turn is not told of', () => {
  const done = saved('t1', 1, 9);
  const known = new OutputMemory(null);
  known.note(cell(), [saved('t1')]);
  known.note(cell({ outputs: [structuredClone(done.bundle)] }), [done]);
  expect(kinds(new Map(), [done], known)).toEqual([]);
});

test('how far a document is with a turn', () => {
  const running = saved('t1');
  const done = saved('t1', 1, 9);
  expect(standing(undefined, done)).toBe('absent');
  expect(standing(cell().get('c'), done)).toBe('absent');
  expect(standing(cell({ outputs: [first] }).get('c'), running)).toBe('shown');
  expect(standing(cell({ outputs: [first] }).get('c'), done)).toBe('shown');
  // An equal snapshot of a running turn is not its end.
  expect(standing(cell({ outputs: [running.bundle] }).get('c'), running)).toBe('shown');
});

test('what a cell captures is not inserted', () => {
  const source = '%%capture kept\n%%acp\nDo it';
  const captured = { ...saved('t1', 1, 9), source };
  expect(kinds(cell({ source }), [captured], memory())).toEqual([]);
  expect(kinds(cell(), [saved('t1', 1, 9)], memory())).toEqual(['insert']);
  const named = '%%acp\n%%capture is what?';
  const told = { ...saved('t1', 1, 9), source: named };
  expect(kinds(cell({ source: named }), [told], memory())).toEqual(['insert']);
});
