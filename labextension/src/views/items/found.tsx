import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';

import type { SearchHit, ToolCall } from '../../wire/types';
import type { Translate } from '../i18n';
import { grouped, plural } from '../parts/format';
import { useValue } from '../parts/hooks';
import { Path } from '../parts/path';
import { FileLink } from '../parts/place';
import { useScene } from '../parts/scene';
import { marker, patternOf } from './hit_marks';

/** Results that are shown at first. */
const FIRST_RESULTS = 12;

interface SearchResultsProps {
  readonly item: ToolCall;
  readonly files: readonly string[];
  /** Further controls in its footer. */
  readonly controls: ComponentChildren;
}

/** What a search found: files, or lines by file. */
export function SearchResults({ item, files, controls }: SearchResultsProps) {
  const { actions, t } = useScene();
  const [all, setAll] = useValue(`${item.id} found`);
  const { hits, remarks } = item;
  const mark = useMemo(() => marker(patternOf(item)), [item.raw_input]);
  const known = (hits ?? files).length;
  const cut = all === '' && actions !== null ? FIRST_RESULTS : known;
  return (
    <div class="acp-code acp-found">
      {item.path !== '' && item.path !== '.' && (
        <header role="presentation">
          {t('In')} <Path path={item.path} />
        </header>
      )}
      {known > 0 && (
        <ul role="list" aria-label={t('Results')}>
          {hits === null
            ? files.slice(0, cut).map((path, index) => (
                <li key={index}>
                  <FileLink path={path} line={null} />
                </li>
              ))
            : byFile(hits.slice(0, cut)).map((lines, index) => (
                <FileHits key={index} hits={lines} mark={mark} />
              ))}
        </ul>
      )}
      {remarks.map((remark, index) => (
        <p key={index} class="muted acp-empty" dir="auto">
          {remark}
        </p>
      ))}
      {known > 0 && (
        <footer role="presentation">
          <span class="grow">{knownWords(item, known, t)}</span>
          {cut < known && (
            <button type="button" class="btn quiet small" onClick={() => setAll('1')}>
              {t('Show all')}
            </button>
          )}
          {controls}
        </footer>
      )}
    </div>
  );
}

interface FileHitsProps {
  readonly hits: readonly SearchHit[];
  readonly mark: ReturnType<typeof marker>;
}

/** Hits of one file, in a row as they came. */
function FileHits({ hits, mark }: FileHitsProps) {
  const path = hits[0]?.path ?? '';
  return (
    <li>
      <FileLink path={path} line={null} />
      {hits.map(({ line, text }, index) => (
        <FileLink key={index} path={path} line={line} class="acp-hit">
          <span class="ln">{line}</span>
          <code>
            {mark(text).map((piece, at) =>
              piece.hit ? <mark key={at}>{piece.text}</mark> : piece.text,
            )}
          </code>
        </FileLink>
      ))}
    </li>
  );
}

function byFile(hits: readonly SearchHit[]): SearchHit[][] {
  const files: SearchHit[][] = [];
  for (const hit of hits) {
    const last = files[files.length - 1];
    if (last?.[0]?.path === hit.path) {
      last.push(hit);
    } else {
      files.push([hit]);
    }
  }
  return files;
}

/** `41 files`, `3 matches`: all that the search says it has found. */
export function countWords(
  { count, hits }: ToolCall,
  files: readonly string[],
  t: Translate,
): string {
  return hits === null
    ? plural(t, count ?? files.length, '1 file', '%1 files')
    : plural(t, count ?? hits.length, '1 match', '%1 matches');
}

/** The same, and where not all of them are known: `50 of 131 files`. */
function knownWords(item: ToolCall, known: number, t: Translate): string {
  const words = countWords(item, item.files ?? [], t);
  return (item.count ?? 0) > known ? t('%1 of %2', grouped(known), words) : words;
}
