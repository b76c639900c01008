import type { CellJson, KnownCell } from './cells';
import { identify } from './identify';
import { planMerge } from './merge';
import type { CellConflict, OpenCell, Plan } from './merge';

/** The cells that a plan makes of these. */
export function planned(cells: readonly OpenCell[], { order, made, changes }: Plan): CellJson[] {
  const here = new Map(cells.map(cell => [cell.id, cell]));
  const changed = new Map(changes.map(change => [change.id, change]));
  return order.flatMap(id => {
    const cell: CellJson | undefined = made.get(id) ?? here.get(id);
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
 * The cells that the notebook should have, by the ids that it has now.
 *
 * Notebooks before nbformat 4.5 get new ids whenever they are loaded, and some agents write new ones.
 */
export function restored(
  base: readonly KnownCell[],
  before: readonly OpenCell[],
  theirs: readonly OpenCell[],
): [CellJson[], CellConflict[]] {
  let made = 0;
  const found = identify(base, theirs, () => `made-${(made += 1)}`);
  const names = new Map(found.map(({ id }, index) => [id, theirs[index]?.id ?? id]));
  const rename = <Named extends { readonly id: string }>(named: Named): Named => ({
    ...named,
    id: names.get(named.id) ?? named.id,
  });
  const plan = planMerge(base, before, found);
  return [planned(before, plan).map(rename), plan.conflicts.map(rename)];
}
