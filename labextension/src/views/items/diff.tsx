import type { Diff } from '../../wire/types';
import { IconButton } from '../parts/buttons';
import { grouped, plural } from '../parts/format';
import { useValue } from '../parts/hooks';
import { Icon } from '../parts/icons';
import { Counts, Path } from '../parts/path';
import { useScene } from '../parts/scene';
import { Visible } from '../parts/visible';
import { compare, piecesOf, type Comparison, type DiffLine, type Section } from './diff_lines';

/** With more changed lines only the first are drawn at once. */
const MAX_CHANGED = 400;
const FIRST_LINES = 200;
/** Lines that one click on a fold opens. */
const UNFOLD = 20;

interface DiffBoxProps {
  readonly diff: Diff;
  /** Names its folds in the store. */
  readonly id: string;
  /** Where the change lies in the file, if that is known. */
  readonly line?: number | null;
  readonly isNew?: boolean;
}

/** One changed file, unified. */
export function DiffBox({ diff, id, line = null, isNew = diff.is_new_file }: DiffBoxProps) {
  const { actions, t } = useScene();
  const comparison = compare(diff);
  const [all, setAll] = useValue(`${id} all`);
  const { lines, sections } = comparison;
  const cut = comparison.added + comparison.removed > MAX_CHANGED && all === '';
  const first = cut ? firstSections(sections) : sections;
  return (
    <section class="acp-diff" role="region" aria-label={t('Diff of %1', diff.path)}>
      <header>
        <Icon name="edit" />
        <span class="cut grow">
          <Path path={diff.path} />
        </span>
        {isNew && <span class="badge">{t('new')}</span>}
        <Counts
          added={diff.added ?? comparison.added}
          removed={diff.removed ?? comparison.removed}
        />
        {actions?.openFile !== undefined && (
          <IconButton
            icon="open"
            label={t('Open %1', diff.path)}
            onClick={() => actions.openFile?.(diff.path, line ?? firstChange(lines))}
          />
        )}
      </header>
      {first.map(section =>
        section.folded ? (
          <Fold key={section.start} id={`${id} ${section.start}`} {...{ comparison, section }} />
        ) : (
          <Run
            key={section.start}
            comparison={comparison}
            start={section.start}
            end={section.end}
          />
        ),
      )}
      {lines.length === 0 && <p class="muted acp-empty">{t('No lines.')}</p>}
      {cut &&
        (actions === null ? (
          <div class="fold">{t('%1 lines in all', grouped(lines.length))}</div>
        ) : (
          <button type="button" class="fold" onClick={() => setAll('1')}>
            <Icon name="fold" small />
            <span>{t('Show all %1 lines', grouped(lines.length))}</span>
          </button>
        ))}
    </section>
  );
}

interface FoldProps {
  readonly id: string;
  readonly comparison: Comparison;
  readonly section: Section;
}

/** Unchanged lines: a click opens some, with Shift all. */
function Fold({ id, comparison, section }: FoldProps) {
  const { actions, t } = useScene();
  const [value, setValue] = useValue(id);
  const opened = section.start + Number(value);
  const left = section.end - opened;
  const words = plural(t, left, '1 unchanged line', '%1 unchanged lines');
  return (
    <>
      {opened > section.start && <Run comparison={comparison} start={section.start} end={opened} />}
      {left > 0 &&
        (actions === null ? (
          <div class="fold">{words}</div>
        ) : (
          <button
            type="button"
            class="fold"
            onClick={event => {
              const more = event.shiftKey ? left : Math.min(left, UNFOLD);
              setValue(String(Number(value) + more));
            }}
          >
            <Icon name="fold" small />
            <span>{words}</span>
          </button>
        ))}
    </>
  );
}

interface RunProps {
  readonly comparison: Comparison;
  readonly start: number;
  readonly end: number;
}

function Run({ comparison, start, end }: RunProps) {
  const { t } = useScene();
  return (
    <div class="lines" tabIndex={0} role="group" aria-label={t('Lines')} dir="ltr">
      <div>
        {comparison.lines.slice(start, end).map((line, index) => (
          <Line key={start + index} comparison={comparison} line={line} />
        ))}
      </div>
    </div>
  );
}

function Line({ comparison, line }: { readonly comparison: Comparison; readonly line: DiffLine }) {
  const gutter = pad(line.before) + pad(line.after);
  if (line.kind === 'context') {
    return (
      <span class="ctx" data-g={gutter}>
        <Visible text={line.text} />
      </span>
    );
  }
  const pieces = piecesOf(comparison, line).map(({ text, changed }, index) =>
    changed ? (
      <b key={index}>
        <Visible text={text} />
      </b>
    ) : (
      <Visible key={index} text={text} />
    ),
  );
  return line.kind === 'added' ? (
    <ins data-g={gutter}>{pieces}</ins>
  ) : (
    <del data-g={gutter}>{pieces}</del>
  );
}

function pad(value: number | null): string {
  return value === null ? '    ' : String(value).padStart(4);
}

function firstChange(lines: readonly DiffLine[]): number | null {
  const changed = lines.find(line => line.kind !== 'context');
  return changed?.after ?? changed?.before ?? null;
}

function firstSections(sections: readonly Section[]): Section[] {
  let left = FIRST_LINES;
  const kept: Section[] = [];
  for (const section of sections) {
    if (left <= 0) {
      break;
    }
    const end = section.folded ? section.end : Math.min(section.end, section.start + left);
    kept.push({ ...section, end });
    left -= section.folded ? 0 : end - section.start;
  }
  return kept;
}
