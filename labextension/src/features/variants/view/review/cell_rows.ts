import { useMemo, useState } from 'preact/hooks';

import { FIRST_ROWS } from '../../../../views/diff/cells_body';
import { compareCells } from '../../../../views/diff/compare_cells';
import { sharedRows } from '../../../../views/diff/shared_rows';
import type { SharedRow } from '../../../../views/diff/shared_rows';
import { diffKey } from './files';
import type { Diffs, Variant, VariantsFile } from './files';

interface CellRows {
  /** The rows of a variant's notebook; absent if it is not shown by cells. */
  readonly rowsOf: (variant: Variant) => readonly SharedRow[] | undefined;
  /** Number of rows that all of them have. */
  readonly count: number;
  /** Shows more of them; `null` if all are shown. */
  readonly showMore: (() => void) | null;
}

/** The cells of a notebook that several variants changed, with a row for the same cell of each. */
export function useCellRows(file: VariantsFile | undefined, diffs: Diffs): CellRows {
  const [most, setMost] = useState(FIRST_ROWS);
  const keys = (file?.changes ?? []).map(({ variant }) => diffKey(variant, file?.path ?? ''));
  const rows = useMemo(() => rowsByKey(keys, diffs), [keys.join(), diffs]);
  const [all = 0] = [...rows.values()].map(each => each.length);
  const more = all > most;
  // Changes outside the cells have their own row.
  const count = rows.size === 0 ? 0 : Math.min(all, most) + 1;
  return {
    rowsOf: variant => rows.get(diffKey(variant, file?.path ?? ''))?.slice(0, most),
    count,
    showMore: more ? () => setMost(most + 5 * FIRST_ROWS) : null,
  };
}

function rowsByKey(
  keys: readonly string[],
  diffs: Diffs,
): ReadonlyMap<string, readonly SharedRow[]> {
  const compared = keys.flatMap(key => {
    const diff = diffs.get(key);
    const cells = diff === undefined ? null : compareCells(diff);
    return cells === null ? [] : [{ key, cells }];
  });
  const rows = sharedRows(compared.map(({ cells }) => cells));
  return new Map(compared.map(({ key }, index) => [key, rows[index] ?? []]));
}
