import { diffArrays } from 'diff';

import { isRecord } from '../../wire/read';
import type { Diff } from '../../wire/types';
import { withMoves } from './cell_moves';
import type { Cell, CellChange, CellRow } from './cell_moves';
import { compareTexts } from './compare_lines';
import type { Comparison } from './compare_lines';

/** Larger notebooks are compared as text, if at all. */
const MAX_TEXT = 20_000_000;

const MAX_CELLS = 5_000;

/** Lines are counted only up to this number of changed cells. */
const MAX_COUNTED = 200;

export interface CellsComparison {
  readonly rows: readonly CellRow[];
  /** Whether anything but the cells differs. */
  readonly rest: boolean;
  /** Name of the code's language. */
  readonly language: string;
  /** Added lines of source; `null` if there are too many to count. */
  readonly added: number | null;
  readonly removed: number | null;
}

interface Notebook {
  readonly cells: readonly Cell[];
  readonly rest: string;
  readonly language: string;
}

const known = new WeakMap<Diff, CellsComparison | null>();

/** Compares a notebook by its cells; `null` for other files, and for one that can't be read. */
export function compareCells(diff: Diff): CellsComparison | null {
  const found = known.get(diff);
  if (found !== undefined) {
    return found;
  }
  const comparison = cellsOf(diff);
  known.set(diff, comparison);
  return comparison;
}

function cellsOf(diff: Diff): CellsComparison | null {
  const { path, old_text, new_text } = diff;
  const before = old_text === null || old_text === '' ? NONE : old_text;
  const after = new_text === '' ? NONE : new_text;
  if (!path.endsWith('.ipynb') || before.length + after.length > MAX_TEXT || before === after) {
    return null;
  }
  const [was, is] = [parse(before), parse(after)];
  if (was === null || is === null) {
    return null;
  }
  const former = matched(was.cells, is.cells);
  const rows = withMoves(rowsOf(was.cells, is.cells, former), was.cells, is.cells, former);
  const rest = was.rest !== is.rest && before !== NONE && after !== NONE;
  return { rows, rest, language: is.language || was.language, ...counts(rows) };
}

/** Compares the lines of a cell's source. */
export function compareSources({ before, after }: CellChange): Comparison | null {
  return compareTexts(before, after);
}

const NONE = '{"cells":[]}';

function parse(text: string): Notebook | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || !Array.isArray(value['cells']) || value['cells'].length > MAX_CELLS) {
      return null;
    }
    const { cells, ...rest } = value;
    const read = Array.isArray(cells) ? cells.map(cellOf) : [];
    return {
      cells: read,
      rest: JSON.stringify(ordered(rest)),
      language: languageOf(rest['metadata']),
    };
  } catch {
    return null;
  }
}

function languageOf(metadata: unknown): string {
  const info = isRecord(metadata) ? metadata['language_info'] : null;
  const name = isRecord(info) ? info['name'] : null;
  return typeof name === 'string' ? name : 'python';
}

function cellOf(value: unknown): Cell {
  const cell = isRecord(value) ? value : {};
  const { id, cell_type, source, outputs, execution_count, ...rest } = cell;
  const text = Array.isArray(source) ? source.map(String).join('') : source;
  return {
    id: typeof id === 'string' ? id : '',
    type: typeof cell_type === 'string' ? cell_type : '',
    source: typeof text === 'string' ? text : '',
    outputs: JSON.stringify([outputs ?? [], execution_count ?? null]),
    rest: JSON.stringify(isRecord(value) ? [id, ordered(rest)] : [value]),
  };
}

/** Rows of changed and unchanged cells, with deleted ones at their old place. */
function rowsOf(
  before: readonly Cell[],
  after: readonly Cell[],
  former: readonly (number | null)[],
): CellRow[] {
  const stayed = new Set(former);
  const rows: CellRow[] = [];
  let same = 0;
  let next = 0;
  const push = (row: CellChange | null) => {
    if (row === null) {
      same += 1;
    } else {
      close();
      rows.push(row);
    }
  };
  const close = () => {
    if (same > 0) {
      rows.push({ kind: 'same', count: same });
      same = 0;
    }
  };
  const deleteUpTo = (end: number, at: number) => {
    for (; next < end; next += 1) {
      const deleted = before[next];
      if (deleted !== undefined && !stayed.has(next)) {
        push(changeOf(deleted, undefined, next, at));
      }
    }
  };
  let end = 0;
  after.forEach((cell, index) => {
    const oldIndex = former[index] ?? -1;
    deleteUpTo(oldIndex, index);
    push(changeOf(before[oldIndex], cell, oldIndex < 0 ? end : oldIndex, index));
    end = oldIndex < 0 ? end : oldIndex + 1;
  });
  deleteUpTo(before.length, after.length);
  close();
  return rows;
}

function changeOf(
  was: Cell | undefined,
  is: Cell | undefined,
  old: number,
  now: number,
): CellChange | null {
  const cell = is ?? was;
  const same = was?.source === is?.source && was?.type === is?.type;
  if (cell === undefined || (same && was?.outputs === is?.outputs && was?.rest === is?.rest)) {
    return null;
  }
  const both = was !== undefined && is !== undefined;
  return {
    kind: was === undefined ? 'added' : is === undefined ? 'deleted' : 'changed',
    id: cell.id,
    number: (is === undefined ? old : now) + 1,
    type: cell.type,
    before: was?.source ?? '',
    after: is?.source ?? '',
    outputs: both && was.outputs !== is.outputs,
    metadata: both && was.rest !== is.rest,
    range: {
      old_start: old,
      old_end: old + (was === undefined ? 0 : 1),
      new_start: now,
      new_end: now + (is === undefined ? 0 : 1),
    },
  };
}

/** The value with sorted names, since some tools sort them and others don't. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(ordered);
  }
  return isRecord(value)
    ? Object.fromEntries(
        Object.keys(value)
          .sort()
          .map(key => [key, ordered(value[key])]),
      )
    : value;
}

/** Index of the old cell for each new one: by id, else by source and position. */
function matched(before: readonly Cell[], after: readonly Cell[]): (number | null)[] {
  const oldIndexes = new Map(before.map((cell, index) => [cell.id, index]));
  const named = (cells: readonly Cell[]) =>
    cells.every(cell => cell.id !== '') &&
    new Set(cells.map(cell => cell.id)).size === cells.length;
  if (named(before) && named(after)) {
    return after.map(cell => oldIndexes.get(cell.id) ?? null);
  }
  const key = (cell: Cell) => `${cell.type}\n${cell.source}`;
  const changes = diffArrays(before.map(key), after.map(key), { timeout: 200 }) ?? [
    { removed: true, added: false, value: before },
    { removed: false, added: true, value: after },
  ];
  const found: (number | null)[] = [];
  let oldIndex = 0;
  let free: number[] = [];
  for (const { added, removed, value } of changes) {
    if (removed) {
      free = value.map((_, index) => oldIndex + index);
      oldIndex += value.length;
    } else if (added) {
      found.push(...value.map(() => free.shift() ?? null));
    } else {
      free = [];
      found.push(...value.map((_, index) => oldIndex + index));
      oldIndex += value.length;
    }
  }
  return found;
}

function counts(rows: readonly CellRow[]): Pick<CellsComparison, 'added' | 'removed'> {
  const changed = rows.flatMap(row => (row.kind === 'same' ? [] : [row]));
  const compared = changed.slice(0, MAX_COUNTED).map(compareSources);
  const sum = (side: 'added' | 'removed') =>
    changed.length > MAX_COUNTED || compared.includes(null)
      ? null
      : compared.reduce((total, each) => total + (each?.[side] ?? 0), 0);
  return { added: sum('added'), removed: sum('removed') };
}
