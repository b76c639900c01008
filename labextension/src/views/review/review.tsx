import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { SessionStore } from '../../state/store';
import type { Diff } from '../../wire/types';
import type { Actions } from '../actions';
import { identity, type Translate } from '../i18n';
import { ErrorNote } from '../items/note';
import { useAnnouncer } from '../parts/announcer';
import { ConnectionNote } from '../parts/connection_note';
import { useSubscription } from '../parts/hooks';
import { listenToKeys } from '../parts/keys';
import { SceneContext, type Scene } from '../parts/scene';
import type { Connection, Failure } from '../props';
import { standing, turnEntries } from './entries';
import { useKept } from './kept';
import { ReviewFile } from './review_file';
import { ReviewHead, type Scope } from './review_head';
import { ReviewKeys } from './review_keys';
import { ReviewList } from './review_list';

/** Files whose diffs are fetched at once. */
const OPEN_FILES = 10;

/** What a turn or a session changed, in the main area. */
export interface ReviewProps {
  readonly store: SessionStore;
  /** Whose changes are shown first; `null` for the whole session. */
  readonly turnId: string | null;
  readonly connection: Connection;
  readonly failure: Failure | null;
  readonly actions: Actions;
  readonly t?: Translate;
}

/** All changes of a turn or a session: files on the left, their changes on the right. */
export function ReviewView(props: ReviewProps) {
  const { store, turnId, connection, failure, actions, t = identity } = props;
  const root = useRef<HTMLDivElement>(null);
  const keys = useRef<ReviewKeys | null>(null);
  const { announce, regions } = useAnnouncer();
  const scene = useMemo(
    (): Scene => ({ store, host: 'panel', actions, t, announce }),
    [store, actions, t, announce],
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
  useSubscription(useCallback(listener => store.subscribeSession(listener), [store]));
  const { isKept } = useKept();
  const [scope, setScope] = useState<Scope>(turnId === null ? 'session' : 'turn');
  const [diffs, setDiffs] = useState<ReadonlyMap<string, Diff>>(new Map());
  const [current, setCurrent] = useState('');
  const { view } = store;
  const turns = turnEntries(view, scope === 'turn' ? turnId : null);
  const entries = turns.flatMap(turn => turn.entries);
  const decisions = new Map(
    entries.map(entry => [entry.key, standing(entry, diffs.get(entry.key), isKept)]),
  );
  const onDiff = (key: string, diff: Diff) => setDiffs(known => new Map(known).set(key, diff));
  return (
    <SceneContext.Provider value={scene}>
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
        <ReviewHead
          {...{ turns, diffs, decisions, scope }}
          onScope={turnId === null ? null : setScope}
        />
        <ConnectionNote connection={connection} />
        {failure !== null && <ErrorNote {...failure} />}
        {entries.length === 0 ? (
          failure === null && <Nothing known={view.session !== null} scope={scope} t={t} />
        ) : (
          <div class="acp-review">
            <ReviewList {...{ turns, decisions, current }} named={scope === 'session'} />
            <div class="main">
              {entries.map((entry, index) => (
                <ReviewFile
                  key={entry.key}
                  entry={entry}
                  decision={decisions.get(entry.key) ?? 'open'}
                  standard={index < OPEN_FILES}
                  onDiff={onDiff}
                />
              ))}
            </div>
          </div>
        )}
        {regions}
      </div>
    </SceneContext.Provider>
  );
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
  return (
    <p class="muted acp-nothing">
      {scope === 'turn'
        ? t('This turn changed no files.')
        : t('No turn of this session changed a file.')}
    </p>
  );
}
