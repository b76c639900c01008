import { isRecord, list, text } from './read';
import type { Fields } from './read';

/**
 * The version that is written; `acp_jupyter/transcript/output/record.py` says what it leaves out.
 */
export const RECORD_VERSION = 2;

/** Key of the output metadata that names the turn. */
const RUNS_KEY = 'acp_jupyter';

/** Stands for the id of a turn without one: of a replay, or if metadata was removed. */
const UNNAMED = 'saved';

/** Most turns that are read from one output. */
const MAX_RUNS = 20;

/** When and in which session a turn ran. */
interface Run {
  readonly turnId: string;
  readonly sessionId: string;
  /** When it was sent, in seconds since the epoch. */
  readonly sent: number | null;
  /** Milliseconds since then, as `run_mark` of `record.py` orders them. */
  readonly times: readonly (number | null)[];
}

const UNKNOWN_RUN: Run = { turnId: UNNAMED, sessionId: UNNAMED, sent: null, times: [] };

/** The ids of the turns that an output claims to show, the newest first. */
export function claimedTurns(record: unknown, metadata: unknown): string[] {
  const claimed = isRecord(record) ? text(record, 'turn_id') : ''; // in the first version
  return claimed === '' ? runsOf(metadata).map(run => run.turnId) : [claimed];
}

/** More than one if branches were merged that both ran the cell again. */
function runsOf(metadata: unknown): Run[] {
  const runs = isRecord(metadata) ? metadata[RUNS_KEY] : undefined;
  if (!isRecord(runs)) {
    return [];
  }
  const found = Object.keys(runs)
    .slice(0, MAX_RUNS)
    .map((name): Run => {
      const [sessionId = '', ...parts] = text(runs, name).split(' ');
      const [sent = null, ...times] = parts.map(secondsOf);
      // The name of a widget's turn in an earlier version.
      const turnId = name === 'turn_id' ? text(runs, name) : name;
      return { turnId, sessionId: sessionId === '' ? UNNAMED : sessionId, sent, times };
    });
  return found.sort((one, other) => (other.sent ?? 0) - (one.sent ?? 0));
}

function secondsOf(part: string): number | null {
  const milliseconds = part === '-' ? NaN : Number(part);
  return Number.isFinite(milliseconds) ? milliseconds / 1000 : null;
}

/** A record as the first version had it, with every field in its place. */
export function expandRecord(record: Fields, metadata: unknown): Fields {
  const [run = UNKNOWN_RUN] = runsOf(metadata);
  const [started = null, ended = null, told = null, ...times] = run.times;
  const at = (time: number | null) => (run.sent === null || time === null ? null : run.sent + time);
  const items = list(record, 'items', item => item).map((item, index): Fields => {
    const base = { ...item, ...placeOf(item, index) };
    if (item.kind !== 'tool_call' && item.kind !== 'thought') {
      return { ...base, entries: completed(item, 'entries') };
    }
    const [start = null, end = null] = times.splice(0, 2);
    const more = item.kind === 'thought' ? {} : callOf(item, index);
    return { ...base, ...more, started_at: at(start), ended_at: at(end) };
  });
  const turn = isRecord(record.turn) ? record.turn : {};
  const changes = isRecord(turn.changes) ? turn.changes : null;
  if (record.final === true) {
    // The end has only what the turn itself does not say, if anything.
    const { stop_reason, words } = turn;
    const last = items[items.length - 1]?.kind === 'turn_end' ? items.pop() : {};
    const end = { kind: 'turn_end', id: 'end', stop_reason, words, duration_seconds: told };
    items.push({ ...end, ...last });
  }
  return {
    ...record,
    turn_id: run.turnId,
    session_id: run.sessionId,
    turn: {
      ...turn,
      queued_at: run.sent,
      started_at: at(started),
      ended_at: at(ended),
      changes: changes && { ...changes, files: list(changes, 'files', keptOf) },
    },
    items,
  };
}

/** A step names its tool call by its position in the list. */
function placeOf({ parent }: Fields, index: number): Fields {
  const isStep = typeof parent === 'number' && parent < index;
  return { id: `i${index}`, parent_id: isStep ? `i${parent}` : '' };
}

function callOf(call: Fields, index: number): Fields {
  const { path, ui_kind, tool_kind, status = 'completed', terminal } = call;
  return {
    status,
    ui_kind: ui_kind ?? tool_kind,
    locations: call.located === true ? [{ path }] : call.locations,
    todos: Array.isArray(call.todos) ? completed(call, 'todos') : null,
    diffs: list(call, 'diffs', diff => ({ path, ...diff, ...linesOf(diff) })),
    blocks: list(call, 'blocks', block => block).map((block, nth) => ({
      ...block,
      id: `i${index}.${nth}`,
    })),
    terminal: isRecord(terminal) ? { command: call.command, ...terminal } : null,
  };
}

/** 0 marks an unknown line; the first line is not written. */
function linesOf({ old_line = 1, new_line = 1 }: Fields): Fields {
  return { old_line: old_line === 0 ? null : old_line, new_line: new_line === 0 ? null : new_line };
}

function completed(from: Fields, name: string): Fields[] {
  return list(from, name, entry => ({ status: 'completed', ...entry }));
}

function keptOf(file: Fields): Fields {
  return { kept: true, ...file };
}
