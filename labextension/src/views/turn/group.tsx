import { Fragment } from 'preact';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { Item } from '../../wire/types';
import { Disclosure } from '../parts/disclosure';
import { duration, plural } from '../parts/format';
import { useValue } from '../parts/hooks';
import { useScene } from '../parts/scene';
import { ItemRow } from './row';
import { groupLabel, groupSeconds } from './summary';

/** After text has followed a group, it folds itself, once. */
const FOLD_MILLISECONDS = 600;
/** Most lines of an open group before the rest is asked for. */
const MAX_LINES = 100;

interface GroupProps {
  readonly id: string;
  readonly items: readonly Item[];
  /** Whether text has come after it. */
  readonly followed: boolean;
}

/** A run of finished tool calls: one line. */
export function Group({ id, items, followed }: GroupProps) {
  const { t } = useScene();
  const folded = useFolded(followed);
  return (
    <Disclosure
      id={id}
      standard={!folded}
      class="acp-group"
      bodyClass="acp-rows"
      chevron="start"
      line={
        <>
          <span class="t">{groupLabel(items, t)}</span>
          <span class="grow" />
          <span class="m num">{duration(groupSeconds(items))}</span>
        </>
      }
      body={() => <StepLines id={id} items={items} />}
    />
  );
}

interface StepLinesProps {
  readonly id: string;
  readonly items: readonly Item[];
  /** What stands above a line. */
  readonly before?: (item: Item, former: Item | undefined) => ComponentChildren;
}

/** The newest lines, and the rest on demand. */
export function StepLines({ id, items, before }: StepLinesProps) {
  const { actions, t } = useScene();
  const [all, setAll] = useValue(`${id} all`);
  const hidden = all === '' && actions !== null ? Math.max(0, items.length - MAX_LINES) : 0;
  return (
    <>
      {hidden > 0 && (
        <button type="button" class="btn quiet small" onClick={() => setAll('1')}>
          {plural(t, hidden, 'Show 1 earlier step', 'Show %1 earlier steps')}
        </button>
      )}
      {items.slice(hidden).map((item, index) => (
        <Fragment key={item.id}>
          {before?.(item, items[hidden + index - 1])}
          <ItemRow item={item} waiting={NONE} />
        </Fragment>
      ))}
    </>
  );
}

const NONE: readonly string[] = [];

/** True a moment after text has followed; at once where it had before. */
function useFolded(followed: boolean): boolean {
  const [folded, setFolded] = useState(followed);
  const wasFolded = useRef(followed);
  useEffect(() => {
    if (!followed || wasFolded.current) {
      return undefined;
    }
    const timer = setTimeout(() => {
      wasFolded.current = true;
      setFolded(true);
    }, FOLD_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [followed]);
  return folded;
}
