import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { Diff } from '../../../../wire/types';
import { identity, plural } from '../../../../views/i18n';
import type { Translate } from '../../../../views/i18n';
import { useAnnouncer } from '../../../../views/parts/announcer';
import { Icon } from '../../../../views/parts/icons';
import { listenToKeys } from '../../../../views/parts/keyboard';
import { mounted } from '../../../../views/parts/mount';
import { ConnectionNote } from '../../../../views/parts/notes';
import type { Connection, Failure, Mounted, Rendering } from '../../../../views/props';
import type { Source } from '../../../../views/review';
import { ReviewKeys } from '../../../../views/review/review_keys';
import { TurnLink } from '../../../../views/review/turn_link';
import { SceneContext, useSubscription, useUniqueId } from '../../../../views/scene';
import type { Scene } from '../../../../views/scene';
import { useCellRows } from './cell_rows';
import { diffKey, filesOf, isOver, variantsOf } from './files';
import type { Diffs, Variant, VariantsFile } from './files';
import { VariantColumn } from './variant_column';
import { VariantFiles } from './variant_files';

/** Properties of the review of a prompt that was tried several ways. */
export interface VariantsReviewProps {
  /** The sessions of the variants. */
  readonly sources: readonly [Source, ...Source[]];
  /** Why the server does not show some of them, by the session's id. */
  readonly failures: ReadonlyMap<string, Failure>;
  readonly connection: Connection;
  /** Highlights code; without it code stays plain. */
  readonly rendering?: Rendering | undefined;
  readonly t?: Translate;
}

const STEPS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => Math.min(last, at + 1),
  ArrowUp: at => Math.max(0, at - 1),
  Home: () => 0,
  End: (_at, last) => last,
};

/** The changes of a prompt's variants: the list of files, and one file's diffs side by side. */
function VariantsReview(props: VariantsReviewProps) {
  const { sources, failures, connection, rendering, t = identity } = props;
  const root = useRef<HTMLDivElement>(null);
  const keys = useRef<ReviewKeys | null>(null);
  const panelId = useUniqueId();
  const { announce, regions } = useAnnouncer();
  const scenes = useMemo(
    () =>
      new Map(
        sources.map((source): [Source, Scene] => [
          source,
          { ...source, host: 'panel', rendering, t, announce },
        ]),
      ),
    [sources, rendering, t, announce],
  );
  const [asked, setAsked] = useState('');
  const [diffs, setDiffs] = useState<Diffs>(new Map());
  const variants = variantsOf(sources, failures);
  const turnIds = variants.map(({ turn }) => turn?.turn_id ?? '').join();
  useSubscription(
    useCallback(
      listener => {
        const stops = variants.flatMap(({ source: { store }, turn }) => [
          store.subscribeSession(listener),
          ...(turn === undefined ? [] : [store.subscribeTurn(turn.turn_id, listener)]),
        ]);
        return () => stops.forEach(stop => stop());
      },
      [sources, turnIds],
    ),
  );
  const files = filesOf(variants);
  const chosen = files.find(({ path }) => path === asked) ?? files[0];
  const choose = useRef<(event: KeyboardEvent) => boolean>(() => false);
  choose.current = event => {
    const inList = event.target instanceof Element && event.target.closest('[role=tablist]');
    const at = files.findIndex(file => file === chosen);
    const next = files[STEPS[event.key]?.(at, files.length - 1) ?? -1];
    if (next === undefined || !(inList || event.target === root.current) || hasModifier(event)) {
      return false;
    }
    setAsked(next.path);
    root.current
      ?.querySelectorAll<HTMLElement>('.acp-varfiles [role=tab]')
      [files.indexOf(next)]?.focus();
    return true;
  };
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null) {
      return undefined;
    }
    const own = new ReviewKeys(element);
    keys.current = own;
    return listenToKeys(element, event => choose.current(event) || own.handle(event));
  }, []);
  const turn = variants.find(each => each.source === sources[0])?.turn;
  return (
    <SceneContext.Provider value={scenes.get(sources[0]) ?? null}>
      <div
        class="acp acp-reviewview"
        data-host="panel"
        tabIndex={-1}
        ref={root}
        onClick={event => keys.current?.clicked(event.target)}
        onFocusIn={event => keys.current?.focused(event.target)}
      >
        <header class="acp-reviewhead" role="presentation">
          <h2>{plural(t, variants.length, '1 variant', '%1 variants')}</h2>
          <span class="cut grow muted" title={turn?.prompt} dir="auto">
            {turn?.prompt}
          </span>
          {turn !== undefined && <TurnLink turn={turn} />}
        </header>
        <ConnectionNote connection={connection} />
        <div class="acp-review" data-listed={files.length > 0}>
          {files.length > 0 && (
            <VariantFiles
              {...{ files, diffs, panelId }}
              chosen={chosen?.path ?? ''}
              onChoose={setAsked}
              leftOut={leftOut(variants)}
            />
          )}
          <div
            class="main acp-varmain"
            id={panelId}
            role={chosen === undefined ? undefined : 'tabpanel'}
            aria-label={chosen?.path}
          >
            {chosen === undefined && <Nothing variants={variants} t={t} />}
            <Columns
              key={chosen?.path}
              {...{ variants, chosen, diffs, scenes, t }}
              onDiff={(variant, diff) =>
                setDiffs(known => new Map(known).set(diffKey(variant, diff.path), diff))
              }
            />
          </div>
        </div>
        {regions}
      </div>
    </SceneContext.Provider>
  );
}

interface ColumnsProps {
  readonly variants: readonly Variant[];
  readonly chosen: VariantsFile | undefined;
  readonly diffs: Diffs;
  readonly onDiff: (variant: Variant, diff: Diff) => void;
  readonly scenes: ReadonlyMap<Source, Scene>;
  readonly t: Translate;
}

/** The variants side by side, each with its change of the selected file. */
function Columns({ variants, chosen, diffs, onDiff, scenes, t }: ColumnsProps) {
  const { rowsOf, count, showMore } = useCellRows(chosen, diffs);
  return (
    <>
      <div class="acp-varcolumns" style={{ '--acp-variants': variants.length }}>
        {variants.map(variant => (
          <SceneContext.Provider
            key={variant.source.store.sessionId}
            value={scenes.get(variant.source) ?? null}
          >
            <VariantColumn
              variant={variant}
              change={chosen?.changes.find(change => change.variant === variant)}
              rows={rowsOf(variant)}
              span={count + 2}
              onDiff={diff => onDiff(variant, diff)}
            />
          </SceneContext.Provider>
        ))}
      </div>
      {showMore !== null && (
        <button type="button" class="btn quiet small" onClick={showMore}>
          <Icon name="fold" small />
          {t('Show more cells')}
        </button>
      )}
    </>
  );
}

interface NothingProps {
  readonly variants: readonly Variant[];
  readonly t: Translate;
}

function Nothing({ variants, t }: NothingProps) {
  const known = variants.every(({ turn, failure }) => turn !== undefined || failure !== null);
  const over = variants.every(({ turn, failure }) => isOver(turn) || failure !== null);
  return known ? (
    <p class="muted acp-nothing" role="status">
      {over ? t('No variant changed a file.') : t('No variant has changed a file so far.')}
    </p>
  ) : (
    <p class="acp-loading muted">
      <span class="spin" aria-hidden="true" />
      {t('Loading the changes')}
    </p>
  );
}

function leftOut(variants: readonly Variant[]): number {
  return variants.reduce((sum, { turn }) => sum + (turn?.changes?.left_out ?? 0), 0);
}

function hasModifier({ ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  return ctrlKey || altKey || metaKey;
}

/** Draws the review into an element. */
export function mountVariantsReview(
  element: HTMLElement,
  props: VariantsReviewProps,
): Mounted<VariantsReviewProps> {
  return mounted(element, props, next => <VariantsReview {...next} />);
}
