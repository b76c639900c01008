import { identify } from './identify_cells';
import { keyOf, known, metadataKey } from './notebook_json';
import type { CellJson, KnownCell } from './notebook_json';

/** The images of a text cell, by name. */
type Attachments = NonNullable<CellJson['attachments']>;

type Images = Pick<Required<CellChange>, 'attachments'>;

/** A cell of the open notebook. */
export interface OpenCell extends CellJson {
  readonly running: boolean;
}

/** The changes of a cell that stays; absent fields don't change. */
export interface CellChange {
  readonly id: string;
  readonly source?: string;
  readonly metadata?: CellJson['metadata'];
  readonly outputs?: Pick<CellJson, 'outputs' | 'execution_count' | 'metadata'>;
  readonly attachments?: Attachments;
}

/**
 * A change of a cell that its user has changed, too; `theirs` is `null` if the cell was deleted.
 */
export interface CellConflict {
  readonly id: string;
  readonly theirs: string | null;
  /** Images that belong to their source. */
  readonly attachments?: Attachments;
}

export interface Plan {
  /** The ids of all cells after the merge, in order. */
  readonly order: readonly string[];
  /** Cells to insert, by id; an existing cell is replaced. */
  readonly inserted: ReadonlyMap<string, CellJson>;
  readonly changes: readonly CellChange[];
  readonly conflicts: readonly CellConflict[];
}

/**
 * Plans how to merge the changes from `base` to `theirs` into the open notebook, cell by cell.
 *
 * A cell becomes theirs if the user has not changed it; outputs stay unless theirs are newer. If
 * open cells share an id, nothing is merged.
 */
export function planMerge(
  base: readonly KnownCell[],
  mine: readonly OpenCell[],
  theirs: readonly CellJson[],
): Plan {
  const before = new Map(base.map(cell => [cell.id, cell]));
  const here = new Map(mine.map(cell => [cell.id, cell]));
  const there = new Set(theirs.map(({ id }) => id));
  const inserted = new Map<string, CellJson>();
  if (before.size < base.length || here.size < mine.length) {
    return {
      order: mine.map(({ id }) => id),
      inserted,
      changes: [],
      conflicts: unlike(mine, theirs),
    };
  }
  const changes: CellChange[] = [];
  const conflicts: CellConflict[] = [];
  for (const cell of theirs) {
    const [was, is] = [before.get(cell.id), here.get(cell.id)];
    const isNews = was === undefined || isOther(was, cell);
    if (is === undefined) {
      if (isNews || keyOf(cell.attachments ?? {}) !== was.attachments) {
        inserted.set(cell.id, cell); // new, or the user deleted a changed cell
      }
      continue;
    }
    const images = imagesOf(was, is, cell);
    if (images.isConflict === true) {
      conflicts.push({ id: cell.id, theirs: cell.source, ...images.theirs });
    } else if (isNews && isOther(known(is), cell)) {
      if (was === undefined || isOther(was, is)) {
        conflicts.push({ id: cell.id, theirs: cell.source, ...images.theirs });
      } else if (was.type === cell.cell_type) {
        changes.push({
          id: cell.id,
          source: cell.source,
          ...rest(was, is, cell),
          ...images.joined,
        });
      } else if (isTouched(was, is)) {
        conflicts.push({ id: cell.id, theirs: cell.source, ...images.theirs });
      } else {
        inserted.set(cell.id, cell);
      }
    } else {
      const change = { ...(was === undefined ? {} : rest(was, is, cell)), ...images.joined };
      if (Object.keys(change).length > 0) {
        changes.push({ id: cell.id, ...change });
      }
    }
  }
  const staying = mine.filter(cell => {
    const was = before.get(cell.id);
    if (was === undefined || there.has(cell.id)) {
      return true;
    }
    if (isTouched(was, cell)) {
      conflicts.push({ id: cell.id, theirs: null });
      return true;
    }
    return cell.running;
  });
  const own = staying.map(({ id }) => id);
  const other = theirs.map(({ id }) => id).filter(id => here.has(id) || inserted.has(id));
  const [then, now] = [idsIn(there, base), idsIn(before, theirs)];
  const moved = then.some((id, index) => id !== now[index]) && !mine.some(each => each.running);
  const order = moved ? joined(other, own) : joined(own, other);
  return { order, inserted, changes, conflicts };
}

/** The ids of cells that the other version also has, in order. */
function idsIn(
  other: Pick<ReadonlySet<string>, 'has'>,
  cells: readonly Pick<CellJson, 'id'>[],
): string[] {
  return cells.map(({ id }) => id).filter(id => other.has(id));
}

function isOther(was: KnownCell, is: Pick<CellJson, 'cell_type' | 'source'>): boolean {
  return was.source !== is.source || was.type !== is.cell_type;
}

/** Whether the user has changed its source or images, or run it with other outputs. */
function isTouched(was: KnownCell, is: OpenCell): boolean {
  const now = known(is);
  return (
    isOther(was, is) ||
    now.attachments !== was.attachments ||
    (is.outputs.length > 0 && now.outputs !== was.outputs)
  );
}

/** Merges a cell's images: those of both sides, unless a name has two contents. */
function imagesOf(
  was: KnownCell | undefined,
  is: OpenCell,
  cell: CellJson,
): { readonly joined?: Images; readonly theirs?: Images; readonly isConflict?: boolean } {
  const [mine, other] = [is.attachments ?? {}, cell.attachments ?? {}];
  const [then, now, there] = [was?.attachments ?? keyOf({}), keyOf(mine), keyOf(other)];
  if (there === then || there === now) {
    return {};
  }
  const theirs = { attachments: other };
  if (now === then) {
    return { joined: theirs, theirs };
  }
  const isConflict = Object.keys(other).some(
    name => name in mine && keyOf(mine[name]) !== keyOf(other[name]),
  );
  return isConflict
    ? { theirs, isConflict }
    : { joined: { attachments: { ...other, ...mine } }, theirs };
}

/** A conflict for each cell, unless both lists are the same. */
function unlike(mine: readonly OpenCell[], theirs: readonly CellJson[]): CellConflict[] {
  if (
    mine.length === theirs.length &&
    theirs.every((cell, index) => keyOf(known(cell)) === keyOf(known(mine[index] ?? cell)))
  ) {
    return [];
  }
  const there = new Map(theirs.map(cell => [cell.id, cell.source]));
  return mine.map(({ id }) => ({ id, theirs: there.get(id) ?? null }));
}

/** Changes of outputs and metadata. */
function rest(was: KnownCell, is: OpenCell, cell: CellJson): Omit<CellChange, 'id' | 'source'> {
  const outputs = keyOf(cell.outputs);
  const fresh =
    cell.outputs.length > 0 &&
    outputs !== was.outputs &&
    !is.running &&
    keyOf(is.outputs) === was.outputs;
  const changed = metadataKey(cell.metadata) !== was.metadata;
  return {
    ...(fresh ? { outputs: cell } : {}),
    ...(changed && metadataKey(is.metadata) === was.metadata ? { metadata: cell.metadata } : {}),
  };
}

/**
 * The first list, with the cells that only the second has, each inserted after its predecessor
 * there.
 */
function joined(first: readonly string[], second: readonly string[]): string[] {
  const order = [...first];
  const has = new Set(order);
  second.forEach((id, index) => {
    if (!has.has(id)) {
      const previous = second[index - 1];
      order.splice(previous === undefined ? 0 : order.indexOf(previous) + 1, 0, id);
      has.add(id);
    }
  });
  return order;
}

/** The cells after a plan was applied to them. */
export function applied(
  cells: readonly OpenCell[],
  { order, inserted, changes }: Plan,
): CellJson[] {
  const here = new Map(cells.map(cell => [cell.id, cell]));
  const changed = new Map(changes.map(change => [change.id, change]));
  return order.flatMap(id => {
    const cell: CellJson | undefined = inserted.get(id) ?? here.get(id);
    const { source, metadata, outputs, attachments } = changed.get(id) ?? {};
    return cell === undefined
      ? []
      : [
          {
            ...cell,
            source: source ?? cell.source,
            metadata: metadata ?? cell.metadata,
            attachments: attachments ?? cell.attachments,
            outputs: outputs?.outputs ?? cell.outputs,
            execution_count: outputs?.execution_count ?? cell.execution_count,
          },
        ];
  });
}

/**
 * The cells that a notebook should have after a file was loaded over it, by the ids it has now.
 *
 * Notebooks before nbformat 4.5 get new ids whenever they are loaded, and some agents write new ones.
 */
export function restored(
  base: readonly KnownCell[],
  before: readonly OpenCell[],
  theirs: readonly OpenCell[],
): [CellJson[], CellConflict[]] {
  let count = 0;
  const found = identify(base, theirs, () => `made-${(count += 1)}`);
  const names = new Map(found.map(({ id }, index) => [id, theirs[index]?.id ?? id]));
  const rename = <Named extends { readonly id: string }>(named: Named): Named => ({
    ...named,
    id: names.get(named.id) ?? named.id,
  });
  const plan = planMerge(base, before, found);
  return [applied(before, plan).map(rename), plan.conflicts.map(rename)];
}
