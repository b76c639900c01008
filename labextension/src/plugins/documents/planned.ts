import type { CellJson } from './cells';
import type { OpenCell, Plan } from './merge';

/** The cells that a plan makes of these. */
export function planned(cells: readonly OpenCell[], { order, made, changes }: Plan): CellJson[] {
  const here = new Map(cells.map(cell => [cell.id, cell]));
  const changed = new Map(changes.map(change => [change.id, change]));
  return order.flatMap(id => {
    const cell: CellJson | undefined = made.get(id) ?? here.get(id);
    const { source, metadata, outputs } = changed.get(id) ?? {};
    return cell === undefined
      ? []
      : [
          {
            ...cell,
            source: source ?? cell.source,
            metadata: metadata ?? cell.metadata,
            outputs: outputs?.outputs ?? cell.outputs,
            execution_count: outputs?.execution_count ?? cell.execution_count,
          },
        ];
  });
}
