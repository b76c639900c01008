import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';

import { isRecord } from '../../wire/read';
import type { SearchHit, ToolCall } from '../../wire/types';
import { grouped, plural } from '../i18n';
import type { Translate } from '../i18n';
import { FileLink, Path } from '../parts/files';
import { useScene, useValue } from '../scene';

/** Number of results that are shown at first. */
const FIRST_RESULTS = 12;

interface SearchResultsProps {
  readonly item: ToolCall;
  readonly files: readonly string[];
  /** Further controls in its footer. */
  readonly controls: ComponentChildren;
}

/** The results of a search: files, or lines by file. */
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

/** Consecutive hits in one file. */
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

/** `41 files`, `3 matches`: the total that the search reports. */
export function countWords(
  { count, hits }: ToolCall,
  files: readonly string[],
  t: Translate,
): string {
  return hits === null
    ? plural(t, count ?? files.length, '1 file', '%1 files')
    : plural(t, count ?? hits.length, '1 match', '%1 matches');
}

/** The same, or `50 of 131 files` if not all are listed. */
function knownWords(item: ToolCall, known: number, t: Translate): string {
  const words = countWords(item, item.files ?? [], t);
  return (item.count ?? 0) > known ? t('%1 of %2', grouped(known), words) : words;
}

/** A piece of a matching line; `hit` if the pattern matches it. */
export interface HitPiece {
  readonly text: string;
  readonly hit: boolean;
}

/** Names of the input fields with the search pattern. */
const NAMES = ['pattern', 'query', 'regex', 'search'];

const MAX_PATTERN = 200;

const MAX_LINE = 400;

/** The pattern of a search, from its input; empty if there is none. */
export function patternOf({ raw_input: input }: ToolCall): string {
  if (!isRecord(input)) {
    return '';
  }
  const found = NAMES.map(name => input[name]).find(value => typeof value === 'string');
  return typeof found === 'string' ? found : '';
}

/** Returns a function that splits a line at the pattern's matches. */
export function marker(pattern: string): (line: string) => readonly HitPiece[] {
  const exact = expression(pattern, 'g');
  const loose = expression(pattern, 'gi');
  return line => {
    const pieces = exact === null ? [] : piecesOf(line, exact);
    // The line was found, so it must match, at least when case is ignored.
    return pieces.length > 1 || loose === null
      ? orWhole(pieces, line)
      : orWhole(piecesOf(line, loose), line);
  };
}

function orWhole(pieces: readonly HitPiece[], line: string): readonly HitPiece[] {
  return pieces.length > 0 ? pieces : [{ text: line, hit: false }];
}

function piecesOf(line: string, pattern: RegExp): HitPiece[] {
  const pieces: HitPiece[] = [];
  let end = 0;
  for (const match of line.slice(0, MAX_LINE).matchAll(pattern)) {
    if (match[0] !== '') {
      pieces.push({ text: line.slice(end, match.index), hit: false });
      pieces.push({ text: match[0], hit: true });
      end = match.index + match[0].length;
    }
  }
  pieces.push({ text: line.slice(end), hit: false });
  return pieces.filter(({ text }) => text !== '');
}

/**
 * The pattern as a regular expression that can't run for long.
 *
 * The agent wrote it: groups and many quantifiers may take exponential time, so
 * such a pattern is searched as plain text.
 */
function expression(pattern: string, flags: string): RegExp | null {
  if (pattern === '' || pattern.length > MAX_PATTERN) {
    return null;
  }
  const isTame = !/\(|\\[1-9k]/.test(pattern) && (pattern.match(/[*+?{]/g) ?? []).length <= 2;
  try {
    return new RegExp(isTame ? pattern : escaped(pattern), flags);
  } catch {
    return new RegExp(escaped(pattern), flags);
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
