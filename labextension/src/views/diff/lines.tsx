import { Fragment } from 'preact';
import { useContext, useMemo } from 'preact/hooks';

import { grouped } from '../i18n';
import { Unread } from '../unread';
import { useScene } from '../scene';
import { Coloured, LineColours } from './colours';
import { endOfLine, piecesOf } from './compare_lines';
import type { Comparison, DiffLine } from './compare_lines';

/** Most characters shown of a line. */
const MAX_LINE = 2_000;

/** Longer ranges of lines stay plain, since colours need many elements. */
const MAX_COLOURED = 1_000;

interface DiffLinesProps {
  readonly comparison: Comparison;
  readonly start: number;
  readonly end: number;
  readonly split: boolean;
}

/**
 * Consecutive lines of a diff. Side by side, each has a grid row, and unchanged lines are there
 * twice; without room the style sheet shows them one below the other.
 */
export function DiffLines({ comparison, start, end, split }: DiffLinesProps) {
  const { t } = useScene();
  const lines = comparison.lines.slice(start, end);
  const rows = split ? rowsOf(lines) : [];
  return (
    <div class="lines" tabIndex={0} role="group" aria-label={t('Lines')} dir="ltr">
      <div>
        {lines.map((line, index) => (
          <Line
            key={start + index}
            {...{ comparison, line }}
            row={rows[index]}
            plain={end - start > MAX_COLOURED}
          />
        ))}
      </div>
    </div>
  );
}

interface LineProps {
  readonly comparison: Comparison;
  readonly line: DiffLine;
  /** Its grid row if they are shown side by side. */
  readonly row: number | undefined;
  readonly plain: boolean;
}

function Line({ comparison, line, row, plain }: LineProps) {
  const { kind, before, after } = line;
  const attributes = {
    'data-g': pad(before) + pad(after),
    ...(row === undefined
      ? {}
      : { 'data-s': pad(kind === 'added' ? after : before), style: { gridRow: row } }),
  };
  const text = <LineText {...{ comparison, line, plain }} />;
  switch (kind) {
    case 'added':
      return <ins {...attributes}>{text}</ins>;
    case 'removed':
      return <del {...attributes}>{text}</del>;
    case 'context':
      return (
        <>
          <span class="ctx" {...attributes}>
            {text}
          </span>
          {row !== undefined && (
            <span class="ctx twin" aria-hidden="true" {...attributes} data-s={pad(after)}>
              <LineText {...{ comparison, line, plain }} />
            </span>
          )}
        </>
      );
  }
}

/**
 * The text of a line with its colours and marks. A very long line shows its beginning, and all of
 * it on request.
 */
function LineText({ comparison, line, plain }: Omit<LineProps, 'row'>) {
  const { t } = useScene();
  const colours = useContext(LineColours);
  const runs = plain ? null : colours(line);
  const pieces = useMemo(() => piecesOf(comparison, line), [comparison, line]);
  const most = useContext(Unread) === null ? MAX_LINE : Infinity;
  const more = line.text.length - most;
  const end = endOfLine(comparison, line);
  let from = 0;
  return (
    <>
      {pieces.map(({ text, changed }, index) => {
        const piece = <Coloured text={text.slice(0, most)} runs={runs} from={from} />;
        from += text.length;
        return changed ? <b key={index}>{piece}</b> : <Fragment key={index}>{piece}</Fragment>;
      })}
      {more > 0 && <i class="more">{t('… %1 more characters', grouped(more))}</i>}
      {end !== null && <i class="more">{end === 'none' ? t('no line end') : end}</i>}
    </>
  );
}

/** Grid rows from 1: removed lines and those that replace them start in the same row. */
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
