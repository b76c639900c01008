import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';

import type { Diff } from '../../wire/types';
import { Coloured, runsOf, useColours } from '../diff/colours';
import { grouped, plural } from '../i18n';
import { Counts, Path, useOpenFile } from '../parts/files';
import { Icon } from '../parts/icons';
import { Visible } from '../parts/odd_characters';
import { PAGE_LINES, Pager } from '../parts/pager';
import { useScene, useValue } from '../scene';

/** Number of lines of a file that are shown at first. */
const FIRST_LINES = 12;

interface FileLinesProps {
  /** Id of its page in the store. */
  readonly id: string;
  readonly text: string;
  /** Number of the first line, if known. */
  readonly first: number | null;
  readonly path: string;
  /** Line at which the file opens; `null` for its top. */
  readonly line: number | null;
  readonly header?: ComponentChildren;
  /** Further controls in its footer. */
  readonly controls?: ComponentChildren;
  /** Whether this is the whole file. */
  readonly whole?: boolean;
  /** Whether it is highlighted; a growing text isn't, since it would be parsed again each time. */
  readonly coloured?: boolean;
}

/** Lines of a file with their numbers, if known: the first ones, or all by pages. */
export function FileLines(props: FileLinesProps) {
  const { id, text, first, path, line, header, controls, whole = false, coloured = true } = props;
  const { actions, t } = useScene();
  const { open, failure } = useOpenFile();
  const [page, setPage] = useValue(`${id} lines`);
  const lines = useMemo(() => text.replace(/\n$/, '').split('\n'), [text]);
  const colours = useColours(coloured ? text : null, path);
  const start = page === '' ? 0 : (Number(page) - 1) * PAGE_LINES;
  const most = page === '' ? FIRST_LINES : PAGE_LINES;
  const shown = actions === null ? lines : lines.slice(start, start + most);
  const words =
    first === null || whole || lines.length === 1
      ? plural(t, lines.length, '1 line', '%1 lines')
      : t('Lines %1–%2', grouped(first), grouped(first + lines.length - 1));
  return (
    <div class="acp-code">
      {header !== undefined && <header role="presentation">{header}</header>}
      <pre tabIndex={0} role="group" aria-label={path === '' ? words : path} dir="ltr">
        {first === null && colours === null ? (
          <Visible text={shown.join('\n')} />
        ) : (
          shown.map((each, index) => [
            first !== null && (
              <span key={start + index} class="ln">
                {first + start + index}
              </span>
            ),
            <Coloured
              key={`text ${start + index}`}
              text={each}
              runs={runsOf(colours, start + index + 1, each)}
            />,
            '\n',
          ])
        )}
      </pre>
      <footer role="presentation">
        <span class="grow">{words}</span>
        {page !== '' && actions !== null && (
          <Pager page={Number(page)} lines={lines.length} onPage={next => setPage(String(next))} />
        )}
        {page === '' && shown.length < lines.length && (
          <button type="button" class="btn quiet small" onClick={() => setPage('1')}>
            {t('Show all')}
          </button>
        )}
        {actions?.openFile !== undefined && path !== '' && (
          <button type="button" class="btn quiet small" onClick={() => open(path, line)}>
            <Icon name="open" />
            {t('Open file')}
          </button>
        )}
        {failure}
        {controls}
      </footer>
    </div>
  );
}

interface NewFileProps {
  readonly diff: Diff;
  /** Id of its page in the store. */
  readonly id: string;
  readonly line: number | null;
}

/** The text of a new file, which has no earlier text to compare with. */
export function NewFile({ diff, id, line }: NewFileProps) {
  const { t } = useScene();
  return (
    <FileLines
      id={id}
      text={diff.new_text}
      first={1}
      whole
      path={diff.path}
      line={line}
      header={
        <>
          <Icon name="plus" />
          <span class="cut grow">
            <Path path={diff.path} />
          </span>
          <span class="badge">{t('new')}</span>
          <Counts added={diff.added} removed={diff.removed} />
        </>
      }
    />
  );
}
