import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';

import { plural } from '../i18n';
import { Icon } from '../parts/icons';
import { useUnread } from '../unread';
import { useScene, useValue } from '../scene';
import type { CellChange } from './cell_moves';
import { DiffColours } from './colours';
import { compareSources } from './compare_cells';
import type { CellsComparison } from './compare_cells';
import type { SharedRow } from './shared_rows';
import { AROUND_CELLS } from './hunks';
import type { DiffHunk } from './hunks';
import { LinesBody } from './lines_body';

/** Number of rows that are drawn at first. */
export const FIRST_ROWS = 40;

interface CellsBodyProps {
  readonly cells: CellsComparison;
  /** Beside other diffs of the notebook: the rows that all of them share. */
  readonly rows?: readonly SharedRow[] | undefined;
  /** Id of its folds in the store. */
  readonly id: string;
  /** Draws the frame with decision buttons around a cell. */
  readonly frame?: ((hunk: DiffHunk, change: ComponentChildren) => ComponentChildren) | undefined;
}

/** The diff of a notebook: each changed cell's source, and whether its outputs changed. */
export function CellsBody({ cells, rows: shared, id, frame }: CellsBodyProps) {
  const { actions, t } = useScene();
  const [shown, setShown] = useValue(`${id} cells`);
  const { rest } = cells;
  const rows = shared ?? cells.rows;
  const most = shared === undefined ? FIRST_ROWS + Number(shown) : rows.length;
  const showMore = () => setShown(String(Number(shown) + 5 * FIRST_ROWS));
  useUnread(`${id} cells ${shown}`, rows.length > most && actions !== null, showMore);
  const around = <p class="muted acp-empty">{t('The notebook’s own metadata changed.')}</p>;
  const aroundHunk = { range: AROUND_CELLS, first: 0, last: 0, words: t('Notebook metadata') };
  return (
    <>
      {rows.slice(0, most).map((row, index) =>
        row.kind === 'none' ? (
          <div class="acp-nocell" key={index} />
        ) : row.kind === 'same' ? (
          <div class="fold" key={index}>
            {plural(t, row.count, '1 unchanged cell', '%1 unchanged cells')}
          </div>
        ) : (
          <Cell
            key={index}
            cell={row}
            id={`${id} cell ${index}`}
            frame={frame}
            language={row.type === 'code' ? cells.language : row.type}
          />
        ),
      )}
      {rows.length > most && actions !== null && (
        <button type="button" class="fold" onClick={showMore}>
          <Icon name="fold" small />
          <span>{t('Show more cells')}</span>
        </button>
      )}
      {rest && (frame === undefined ? around : frame(aroundHunk, around))}
      {rows.length === 0 && !rest && <p class="muted acp-empty">{t('No cells.')}</p>}
    </>
  );
}

interface CellProps extends Pick<CellsBodyProps, 'id' | 'frame'> {
  readonly cell: CellChange;
  /** Language of its source. */
  readonly language: string;
}

function Cell({ cell, id, frame, language }: CellProps) {
  const { t } = useScene();
  const comparison = useMemo(() => compareSources(cell), [cell]);
  const { kind, number, outputs, metadata, range } = cell;
  const what = {
    added: t('Cell %1 · new', number),
    deleted: t('Cell %1 · deleted', number),
    moved: t('Cells %1 to %2 · moved', number, range.new_end),
    changed: cell.before === cell.after ? t('Cell %1', number) : t('Cell %1 · source', number),
  }[kind];
  const type = cell.type === 'code' || cell.type === '' ? '' : ` · ${cell.type}`;
  const words = what + type;
  const change = (
    <>
      {comparison === null ? (
        <p class="muted acp-empty">{t('This is too large to compare here.')}</p>
      ) : (
        (cell.before !== cell.after || kind !== 'changed') && (
          <DiffColours before={cell.before} after={cell.after} path={language}>
            <LinesBody comparison={comparison} id={id} />
          </DiffColours>
        )
      )}
      {outputs && <p class="muted acp-empty">{t('Outputs changed.')}</p>}
      {metadata && <p class="muted acp-empty">{t('Metadata changed.')}</p>}
    </>
  );
  return frame === undefined ? (
    <div class="acp-hunk" role="group" aria-label={what}>
      <header role="presentation">
        <span class="grow">{words}</span>
      </header>
      {change}
    </div>
  ) : (
    <>{frame({ range: cell.range, first: number, last: number, words }, change)}</>
  );
}
