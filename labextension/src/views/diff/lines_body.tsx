import type { ComponentChildren } from 'preact';
import { useCallback, useContext, useRef, useState } from 'preact/hooks';

import { grouped, plural } from '../i18n';
import { Icon } from '../parts/icons';
import { useScene, useSubscription, useValue } from '../scene';
import { UnsureLines, useUnread } from '../unread';
import type { Comparison, Section } from './compare_lines';
import { hunksOf } from './hunks';
import type { DiffHunk } from './hunks';
import { DiffLines } from './lines';

/** If there are more changed lines, only the first are drawn. */
const MAX_CHANGED = 400;

const FIRST_LINES = 200;

/** Most lines that "Show all" adds: more of them make the page stutter. */
const MORE_LINES = 5_000;

/** Lines that one click on a fold opens. */
const UNFOLD = 20;

interface LinesBodyProps {
  readonly comparison: Comparison;
  /** Id of its folds in the store. */
  readonly id: string;
  /** Draws the frame with decision buttons around a hunk. */
  readonly frame?: ((hunk: DiffHunk, lines: ComponentChildren) => ComponentChildren) | undefined;
}

/** The lines of a comparison, with folds between them. */
export function LinesBody({ comparison, id, frame }: LinesBodyProps) {
  const { actions, t } = useScene();
  const [split] = useSplit();
  const [all, setAll] = useValue(`${id} all`);
  const { lines, sections, added, removed } = comparison;
  const hunks = frame === undefined ? [] : hunksOf(comparison);
  const most = added + removed > MAX_CHANGED ? FIRST_LINES + Number(all) : Infinity;
  const shown = firstSections(sections, most);
  const cut = endOf(shown) < endOf(sections);
  const left = added + removed - most;
  const showMore = () => setAll(String(Number(all) + MORE_LINES));
  // Reported again each time, since a click may not show everything.
  useUnread(`${id} all ${all}`, cut && actions !== null, showMore);
  return (
    <>
      {shown.map((section, index) => {
        if (section.folded) {
          const name = `${id} ${section.start}`;
          return <Fold key={section.start} id={name} {...{ comparison, section, split }} />;
        }
        const run = <DiffLines key={section.start} {...{ comparison, split, ...section }} />;
        const hunk = hunks[index] ?? null;
        return frame === undefined || hunk === null ? run : frame(hunk, run);
      })}
      {lines.length === 0 && <p class="muted acp-empty">{t('No lines.')}</p>}
      {cut &&
        (actions === null ? (
          <div class="fold">{t('%1 lines in all', grouped(lines.length))}</div>
        ) : (
          <button type="button" class="fold" onClick={showMore}>
            <Icon name="fold" small />
            <span>
              {left <= MORE_LINES
                ? t('Show all %1 lines', grouped(lines.length))
                : t('Show %1 more lines', grouped(MORE_LINES))}
            </span>
          </button>
        ))}
    </>
  );
}

interface FoldProps {
  readonly id: string;
  readonly comparison: Comparison;
  readonly section: Section;
  readonly split: boolean;
}

/** Folded unchanged lines: a click opens some, with Shift all. */
function Fold({ id, comparison, section, split }: FoldProps) {
  const { actions, t } = useScene();
  const [value, setValue] = useValue(id);
  const opened = Math.min(section.end, section.start + Number(value));
  const left = section.end - opened;
  const isUnsure = useContext(UnsureLines);
  const words = isUnsure
    ? plural(
        t,
        left,
        '1 line that the agent calls unchanged',
        '%1 lines that the agent calls unchanged',
      )
    : plural(t, left, '1 unchanged line', '%1 unchanged lines');
  useUnread(id, isUnsure && left > 0 && actions !== null, () =>
    setValue(String(section.end - section.start)),
  );
  return (
    <>
      {opened > section.start && (
        <DiffLines comparison={comparison} start={section.start} end={opened} split={split} />
      )}
      {left > 0 &&
        (actions === null ? (
          <div class="fold">{words}</div>
        ) : (
          <button
            type="button"
            class="fold"
            title={t('Shift+click shows all of them')}
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

function endOf(sections: readonly Section[]): number {
  return sections[sections.length - 1]?.end ?? 0;
}

/** The first sections, up to this number of unfolded lines. */
function firstSections(sections: readonly Section[], most: number): readonly Section[] {
  if (most === Infinity) {
    return sections;
  }
  let left = most;
  const found: Section[] = [];
  for (const section of sections) {
    if (left <= 0) {
      break;
    }
    const end = section.folded ? section.end : Math.min(section.end, section.start + left);
    found.push({ ...section, end });
    left -= section.folded ? 0 : end - section.start;
  }
  return found;
}

/** Width that lines need side by side, as in the style sheet. */
const SPLIT_PIXELS = 720;

/** Whether an element has room for lines side by side, and the `ref` of that element. */
export function useRoom(): [boolean, (element: Element | null) => void] {
  const [room, setRoom] = useState(true);
  const observer = useRef<ResizeObserver | null>(null);
  const watch = useCallback((element: Element | null) => {
    observer.current?.disconnect();
    observer.current = null;
    if (element !== null && typeof ResizeObserver !== 'undefined') {
      observer.current = new ResizeObserver(([entry]) => {
        // A hidden tab has no width, so it says nothing about the room.
        if (entry !== undefined && entry.contentRect.width > 0) {
          setRoom(entry.contentRect.width >= SPLIT_PIXELS);
        }
      });
      observer.current.observe(element);
    }
  }, []);
  return [room, watch];
}

const SPLIT_KEY = 'acp-jupyter:split-diffs';

const splitListeners = new Set<() => void>();

let chosenSplit: boolean | null = null;

/** Whether diffs are drawn side by side; one remembered choice for all of them. */
export function useSplit(): [boolean, (split: boolean) => void] {
  useSubscription(
    useCallback(listener => {
      splitListeners.add(listener);
      return () => splitListeners.delete(listener);
    }, []),
  );
  return [isSplit(), chooseSplit];
}

function isSplit(): boolean {
  if (chosenSplit === null) {
    try {
      chosenSplit = localStorage.getItem(SPLIT_KEY) === '1';
    } catch {
      chosenSplit = false;
    }
  }
  return chosenSplit;
}

function chooseSplit(split: boolean): void {
  chosenSplit = split;
  try {
    localStorage.setItem(SPLIT_KEY, split ? '1' : '0');
  } catch {
    // Remembered in this page only.
  }
  for (const listener of [...splitListeners]) {
    listener();
  }
}
