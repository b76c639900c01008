import { render } from 'preact';
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { Diff } from '../../wire/types';
import { useKept } from '../changes/decisions';
import { useRoom } from '../diff/lines_body';
import { identity } from '../i18n';
import type { Translate } from '../i18n';
import { useAnnouncer } from '../parts/announcer';
import { injectSprite } from '../parts/icons';
import { listenToKeys } from '../parts/keyboard';
import { ConnectionNote, ErrorNote } from '../parts/notes';
import type { Connection, Failure, Mounted, Rendering } from '../props';
import { SceneContext, useSubscription } from '../scene';
import type { Scene } from '../scene';
import { standing, turnEntries } from './entries';
import type { Scope, Source } from './entries';
import { ReviewFile } from './review_file';
import { ReviewHead } from './review_head';
import { ReviewKeys } from './review_keys';
import { ReviewList } from './review_list';

/** Number of files whose diffs are fetched at once. */
const OPEN_FILES = 10;

/** Properties of the review of a turn, a run or a session. */
export interface ReviewProps {
  /** The sessions to review; the first is the one that it was opened for. */
  readonly sources: readonly [Source, ...Source[]];
  /** The scopes to choose from; the first is shown at first. */
  readonly scopes: readonly [Scope, ...Scope[]];
  readonly connection: Connection;
  readonly failure: Failure | null;
  /** Highlights code; without it code stays plain. */
  readonly rendering?: Rendering | undefined;
  readonly t?: Translate;
}

/** All changes of a scope: the list of files, beside or above their changes. */
export function ReviewView(props: ReviewProps) {
  const { sources, scopes, connection, failure, rendering, t = identity } = props;
  const root = useRef<HTMLDivElement>(null);
  const keys = useRef<ReviewKeys | null>(null);
  const { announce, regions } = useAnnouncer();
  const scenes = useMemo(
    () => sources.map((source): Scene => ({ ...source, host: 'panel', rendering, t, announce })),
    [sources, rendering, t, announce],
  );
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null) {
      return undefined;
    }
    const own = new ReviewKeys(element);
    keys.current = own;
    return listenToKeys(element, event => own.handle(event));
  }, []);
  useSubscription(
    useCallback(
      listener => {
        const stops = sources.map(({ store }) => store.subscribeSession(listener));
        return () => stops.forEach(stop => stop());
      },
      [sources],
    ),
  );
  const { isKept } = useKept();
  const [chosen, setChosen] = useState(0);
  const [diffs, setDiffs] = useState<ReadonlyMap<string, Diff>>(new Map());
  const [current, setCurrent] = useState('');
  const [listed, setListed] = useState(true);
  const [room, watchRoom] = useRoom();
  const scope = scopes[chosen] ?? scopes[0];
  const turns = turnEntries(sources, scope);
  const entries = turns.flatMap(turn => turn.entries);
  const decisions = new Map(
    entries.map(entry => [entry.key, standing(entry, diffs.get(entry.key), isKept)]),
  );
  const onDiff = (key: string, diff: Diff) => setDiffs(known => new Map(known).set(key, diff));
  return (
    <SceneContext.Provider value={scenes[0] ?? null}>
      <div
        class="acp acp-reviewview"
        data-host="panel"
        tabIndex={-1}
        ref={root}
        onClick={event => keys.current?.clicked(event.target)}
        onFocusIn={event => {
          keys.current?.focused(event.target);
          const file = event.target instanceof Element && event.target.closest('[data-file]');
          if (file instanceof HTMLElement) {
            setCurrent(file.dataset['key'] ?? '');
          }
        }}
      >
        <ReviewHead {...{ turns, diffs, decisions, scopes, scope, room }} onScope={setChosen} />
        <ConnectionNote connection={connection} />
        {failure !== null && <ErrorNote {...failure} />}
        {entries.length === 0 ? (
          failure === null && <Nothing known={isKnown(sources)} scope={scope} t={t} />
        ) : (
          <div class="acp-review" data-listed={listed}>
            <ReviewList
              {...{ turns, diffs, decisions, current }}
              named={scope.kind !== 'turn'}
              open={listed}
              onOpen={setListed}
            />
            <div class="main" ref={watchRoom}>
              {entries.map((entry, index) => (
                <SceneContext.Provider
                  key={entry.key}
                  value={scenes[sources.indexOf(entry.source)] ?? null}
                >
                  <ReviewFile
                    {...{ entry, entries, onDiff }}
                    decision={decisions.get(entry.key) ?? 'open'}
                    standard={index < OPEN_FILES}
                  />
                </SceneContext.Provider>
              ))}
            </div>
          </div>
        )}
        {regions}
      </div>
    </SceneContext.Provider>
  );
}

function isKnown(sources: readonly Source[]): boolean {
  return sources.every(({ store }) => store.view.session !== null);
}

interface NothingProps {
  readonly known: boolean;
  readonly scope: Scope;
  readonly t: Translate;
}

function Nothing({ known, scope, t }: NothingProps) {
  if (!known) {
    return (
      <p class="acp-loading muted">
        <span class="spin" aria-hidden="true" />
        {t('Loading the changes')}
      </p>
    );
  }
  const words = {
    turn: t('This turn changed no files.'),
    run: t('This run changed no files.'),
    session: t('No turn of this session changed a file.'),
  }[scope.kind];
  return <p class="muted acp-nothing">{words}</p>;
}

/** Draws a review into an element. */
export function mountReview(element: HTMLElement, props: ReviewProps): Mounted<ReviewProps> {
  injectSprite();
  const update = (next: ReviewProps) => render(<ReviewView {...next} />, element);
  update(props);
  return { update, dispose: () => render(null, element) };
}
