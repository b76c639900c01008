import { grouped } from '../parts/format';
import { useScene } from '../parts/scene';
import { Visible } from '../parts/visible';
import { piecesOf, type Comparison, type DiffLine } from './diff_lines';

/** What is shown of a line. */
const MAX_LINE = 2_000;

interface RunProps {
  readonly comparison: Comparison;
  readonly start: number;
  readonly end: number;
  readonly split: boolean;
}

/**
 * Consecutive lines of a diff. Side by side they are the same lines with a row of a grid each,
 * and a twin of the unchanged ones: where there is no room the style draws them one below the other.
 */
export function Run({ comparison, start, end, split }: RunProps) {
  const { t } = useScene();
  const lines = comparison.lines.slice(start, end);
  const rows = split ? rowsOf(lines) : [];
  return (
    <div class="lines" tabIndex={0} role="group" aria-label={t('Lines')} dir="ltr">
      <div>
        {lines.map((line, index) => (
          <Line key={start + index} {...{ comparison, line }} row={rows[index]} />
        ))}
      </div>
    </div>
  );
}

interface LineProps {
  readonly comparison: Comparison;
  readonly line: DiffLine;
  /** Its row side by side. */
  readonly row: number | undefined;
}

function Line({ comparison, line, row }: LineProps) {
  const { kind, before, after } = line;
  const place = {
    'data-g': pad(before) + pad(after),
    ...(row === undefined
      ? {}
      : { 'data-s': pad(kind === 'added' ? after : before), style: { gridRow: row } }),
  };
  if (kind === 'context') {
    return (
      <>
        <span class="ctx" {...place}>
          <Text text={line.text} />
        </span>
        {row !== undefined && (
          <span class="ctx twin" aria-hidden="true" {...place} data-s={pad(after)}>
            <Text text={line.text} />
          </span>
        )}
      </>
    );
  }
  const pieces = piecesOf(comparison, line).map(({ text, changed }, index) =>
    changed ? (
      <b key={index}>
        <Visible text={text} />
      </b>
    ) : (
      <Text key={index} text={text} />
    ),
  );
  return kind === 'added' ? <ins {...place}>{pieces}</ins> : <del {...place}>{pieces}</del>;
}

/** Text of a line, of which a very long one shows its beginning. */
function Text({ text }: { readonly text: string }) {
  const { t } = useScene();
  const more = text.length - MAX_LINE;
  return more <= 0 ? (
    <Visible text={text} />
  ) : (
    <>
      <Visible text={text.slice(0, MAX_LINE)} />
      <i class="more">{t('… %1 more characters', grouped(more))}</i>
    </>
  );
}

/** Rows from 1: what was removed and what was added in its place begin in the same one. */
function rowsOf(lines: readonly DiffLine[]): number[] {
  let [removed, added] = [1, 1];
  return lines.map(({ kind }) => {
    if (kind === 'removed') {
      return removed++;
    }
    if (kind === 'added') {
      return added++;
    }
    const row = Math.max(removed, added);
    removed = added = row + 1;
    return row;
  });
}

function pad(value: number | null): string {
  return value === null ? '    ' : String(value).padStart(4);
}
