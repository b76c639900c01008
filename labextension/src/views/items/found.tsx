import { useMemo } from 'preact/hooks';

import type { ToolCall } from '../../wire/types';
import type { Translate } from '../i18n';
import { grouped, plural } from '../parts/format';
import { useValue } from '../parts/hooks';
import { Path } from '../parts/path';
import { Place } from '../parts/place';
import { useScene } from '../parts/scene';
import { groupByFile, type Found } from './found_lines';

/** Results that are shown at first. */
const FIRST_RESULTS = 12;

interface FoundBoxProps {
  readonly item: ToolCall;
  readonly files: readonly string[];
}

/** What a search found: files, or lines by file. */
export function FoundBox({ item, files }: FoundBoxProps) {
  const { actions, t } = useScene();
  const [all, setAll] = useValue(`${item.id} found`);
  const cut = all === '' && actions !== null ? FIRST_RESULTS : files.length;
  const shown = useMemo(() => groupByFile(files.slice(0, cut)), [files, cut]);
  return (
    <div class="acp-code acp-found">
      {item.path !== '' && item.path !== '.' && (
        <header role="presentation">
          {t('In')} <Path path={item.path} />
        </header>
      )}
      {files.length === 0 ? (
        <p class="muted acp-empty">{t('No files found')}</p>
      ) : (
        <ul role="list" aria-label={t('Results')}>
          {shown.map((found, index) => (
            <Result key={index} found={found} />
          ))}
        </ul>
      )}
      {files.length > 0 && (
        <footer>
          <span class="grow">{knownWords(item, files, t)}</span>
          {cut < files.length && (
            <button type="button" class="btn quiet small" onClick={() => setAll('1')}>
              {t('Show all')}
            </button>
          )}
        </footer>
      )}
    </div>
  );
}

function Result({ found: { path, hits } }: { readonly found: Found }) {
  return (
    <li>
      <Place path={path} line={null} />
      {hits.map(({ line, text }, index) => (
        <Place key={index} path={path} line={line} class="acp-hit">
          <span class="ln">{line}</span>
          <code>{text}</code>
        </Place>
      ))}
    </li>
  );
}

/** `41 files`, `3 matches`: all that the search says it has found. */
export function countWords({ count }: ToolCall, files: readonly string[], t: Translate): string {
  const total = count ?? files.length;
  const matches = (groupByFile(files.slice(0, 1))[0]?.hits.length ?? 0) > 0;
  return matches
    ? plural(t, total, '1 match', '%1 matches')
    : plural(t, total, '1 file', '%1 files');
}

/** The same, and where not all of them are known: `50 of 131 files`. */
function knownWords(item: ToolCall, files: readonly string[], t: Translate): string {
  const words = countWords(item, files, t);
  return (item.count ?? 0) > files.length ? t('%1 of %2', grouped(files.length), words) : words;
}
