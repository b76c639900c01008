import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';

import type { Diff } from '../../wire/types';
import { grouped } from '../i18n';
import { IconButton } from '../parts/buttons';
import { Counts, Path, useOpenFile } from '../parts/files';
import { Icon } from '../parts/icons';
import { useUnread } from '../unread';
import { useScene, useValue } from '../scene';
import { CellsBody } from './cells_body';
import { DiffColours } from './colours';
import { compareCells } from './compare_cells';
import { compare } from './compare_lines';
import type { DiffLine } from './compare_lines';
import type { DiffHunk } from './hunks';
import { LinesBody, useSplit } from './lines_body';
import type { SharedRow } from './shared_rows';

interface FileDiffProps {
  readonly diff: Diff;
  /** Id of its folds in the store. */
  readonly id: string;
  /** Line at which the file is opened, if known. */
  readonly line?: number | null;
  readonly isNew?: boolean;
  /** What happened to the file, if it is not only changed or new. */
  readonly tag?: string;
  /** Further controls in its header. */
  readonly controls?: ComponentChildren;
  /** Draws the frame with decision buttons around a hunk. */
  readonly frame?: ((hunk: DiffHunk, lines: ComponentChildren) => ComponentChildren) | undefined;
  /** Of a notebook beside others; see `CellsBody`. */
  readonly rows?: readonly SharedRow[] | undefined;
}

/** The diff of a file: a notebook by its cells, any other by its lines. */
export function FileDiff({
  diff,
  id,
  line = null,
  isNew = diff.is_new_file,
  ...more
}: FileDiffProps) {
  const { actions, t } = useScene();
  const { open, failure } = useOpenFile();
  const [split, setSplit] = useSplit();
  const cells = useMemo(() => compareCells(diff), [diff]);
  const comparison = cells === null ? compare(diff) : null;
  const counts = cells ?? { added: diff.added, removed: diff.removed };
  const tags = [isNew ? t('new') : '', more.tag ?? '', cells === null ? '' : t('cells')];
  return (
    <section
      class={split ? 'acp-diff split' : 'acp-diff'}
      role="region"
      aria-label={t('Diff of %1', diff.path)}
      data-part={diff.new_line === null ? '' : undefined}
    >
      <header>
        <Icon name="edit" />
        <span class="cut grow">
          <Path path={diff.path} />
        </span>
        {tags.map(tag => tag !== '' && <span class="badge">{tag}</span>)}
        <Counts
          added={counts.added ?? comparison?.added ?? null}
          removed={counts.removed ?? comparison?.removed ?? null}
        />
        {more.controls}
        {actions !== null && (
          <button
            type="button"
            class="ico acp-splitter"
            aria-label={t('Side by side')}
            title={t('Side by side')}
            aria-pressed={split}
            onClick={() => setSplit(!split)}
          >
            <Icon name="split" />
          </button>
        )}
        {actions?.openFile !== undefined && (
          <IconButton
            class="ico acp-opener"
            icon="open"
            label={t('Open %1', diff.path)}
            onClick={() => open(diff.path, line ?? firstChange(comparison?.lines ?? []))}
          />
        )}
        {failure}
      </header>
      {cells !== null && <CellsBody cells={cells} rows={more.rows} id={id} frame={more.frame} />}
      {comparison !== null && (
        // Single lines of a notebook's JSON can't be kept or reverted.
        <DiffColours
          before={diff.old_text}
          after={diff.new_text}
          path={diff.path}
          firstBefore={diff.old_line}
          firstAfter={diff.new_line}
        >
          <LinesBody
            comparison={comparison}
            id={id}
            frame={diff.path.endsWith('.ipynb') ? undefined : more.frame}
          />
        </DiffColours>
      )}
      {cells === null && comparison === null && <TooLarge id={id} diff={diff} />}
    </section>
  );
}

interface TooLargeProps {
  readonly diff: Diff;
  readonly id: string;
}

/** A change with too many lines to compare: a click shows its new text. */
function TooLarge({ diff, id }: TooLargeProps) {
  const { actions, t } = useScene();
  const [shown, setShown] = useValue(`${id} text`);
  const show = () => setShown('1');
  useUnread(`${id} text`, shown === '' && actions !== null, show);
  return (
    <>
      <p class="muted acp-empty">{t('This is too large to compare here.')}</p>
      {shown === '' && actions !== null && (
        <button type="button" class="btn quiet small" onClick={show}>
          {t('Show the new text')}
        </button>
      )}
      {shown !== '' && <pre class="acp-newtext">{diff.new_text}</pre>}
    </>
  );
}

/** From this many lines on a diff is folded. */
const FOLDED_LINES = 24;

interface FoldedDiffProps extends FileDiffProps {
  /** From this many lines on it is folded. */
  readonly most?: number;
}

/** A diff that the user has not opened; a long one shows its beginning, and the rest on a click. */
export function FoldedDiff({ most = FOLDED_LINES, ...props }: FoldedDiffProps) {
  const { diff, id } = props;
  const { actions, t } = useScene();
  const [all, setAll] = useValue(`${id} unfolded`);
  const sections = compare(diff)?.sections ?? [];
  const lines = sections.reduce(
    (sum, section) => sum + (section.folded ? 1 : section.end - section.start),
    0,
  );
  const folded = lines >= most && all === '' && actions !== null;
  useUnread(`${id} unfolded`, folded, () => setAll('1'));
  return (
    <>
      <div class={folded ? 'acp-folded' : undefined}>
        <FileDiff {...props} />
      </div>
      {folded && (
        <button type="button" class="btn quiet small" onClick={() => setAll('1')}>
          {t('Show all %1 lines', grouped(lines))}
        </button>
      )}
    </>
  );
}

function firstChange(lines: readonly DiffLine[]): number | null {
  const changed = lines.find(line => line.kind !== 'context');
  return changed?.after ?? changed?.before ?? null;
}
