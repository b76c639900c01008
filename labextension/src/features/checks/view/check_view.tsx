import { useMemo } from 'preact/hooks';

import { SessionStore } from '../../../state/store';
import type { CheckedCell } from '../../../wire/types';
import { identity, plural } from '../../../views/i18n';
import type { Translate } from '../../../views/i18n';
import { Icon } from '../../../views/parts/icons';
import { mounted } from '../../../views/parts/mount';
import { ErrorNote } from '../../../views/parts/notes';
import type { Mounted } from '../../../views/props';
import { SceneContext } from '../../../views/scene';
import type { Scene } from '../../../views/scene';
import type { CheckState } from '../check_state';
import { CheckedCellRow } from './checked_cell';
import { VERDICTS } from './verdicts';

/** Properties of the view of a check. */
export interface CheckProps {
  /** Name of the notebook. */
  readonly name: string;
  readonly state: CheckState;
  readonly cancel: () => void;
  readonly again: () => void;
  readonly goTo: (cellId: string) => void;
  readonly t?: Translate;
}

function CheckView(props: CheckProps) {
  const { name, state, cancel, again, goTo, t = identity } = props;
  const scene = useMemo(
    (): Scene => ({
      store: new SessionStore('check'),
      host: 'panel',
      actions: null,
      t,
      announce: () => undefined,
    }),
    [t],
  );
  const runs = state.phase === 'starts' || state.phase === 'runs';
  return (
    <SceneContext.Provider value={scene}>
      <div class="acp acp-checkview" data-host="panel" tabIndex={-1}>
        <div class="acp-check" role="region" aria-label={t('Check')}>
          <header class="acp-bar" role="presentation">
            <h2 class="cut grow" dir="auto" title={name}>
              {t('Check of %1', name)}
            </h2>
            <button type="button" class="btn small" onClick={runs ? cancel : again}>
              {runs ? t('Cancel') : t('Check again')}
            </button>
          </header>
          {/* The bar tells how far it is; only the outcome is spoken. */}
          <p class="acp-check-sum" role="status" aria-live={runs ? 'off' : 'polite'}>
            {sumWords(state, t)}
          </p>
          {runs && (
            <progress
              aria-label={t('Checked cells')}
              max={Math.max(1, state.all)}
              value={state.phase === 'starts' ? undefined : state.cells.length}
            />
          )}
          {state.words !== '' && <ErrorNote message={state.words} detail="" />}
          <ol class="acp-check-cells" aria-label={t('Cells')}>
            {state.cells.map(cell => (
              <CheckedCellRow key={cell.number} cell={cell} goTo={goTo} />
            ))}
          </ol>
          <p class="muted acp-check-foot">
            <Icon name="lock" small />
            {t('A copy ran in a second kernel. Your notebook and its kernel are unchanged.')}
          </p>
        </div>
      </div>
    </SceneContext.Provider>
  );
}

/** Draws a check into an element. */
export function mountCheck(element: HTMLElement, props: CheckProps): Mounted<CheckProps> {
  return mounted(element, props, next => <CheckView {...next} />);
}

function sumWords({ phase, all, cells, running }: CheckState, t: Translate): string {
  if (phase === 'starts') {
    return t('Starting a second kernel…');
  }
  const counts = VERDICTS.flatMap(({ verdict, count }) => {
    const found = cells.filter(each => each.verdict === verdict).length;
    return found === 0 ? [] : [t(count, found)];
  }).join(', ');
  switch (phase) {
    case 'runs':
      return running === null
        ? t('%1 of %2 cells are done', cells.length, all)
        : t('Cell %1 runs; %2 of %3 cells are done', running, cells.length, all);
    case 'cancelled':
      return t('Cancelled: %1', counts === '' ? t('no cell was checked') : counts);
    case 'failed':
      return t('The check failed');
    case 'ended':
      return counts === '' ? t('This notebook has no code cells.') : headline(cells, counts, t);
  }
}

/** The outcome in words, then the counts. */
function headline(cells: readonly CheckedCell[], counts: string, t: Translate): string {
  const bad = cells.filter(({ verdict }) => verdict === 'different' || verdict === 'failed').length;
  return bad === 0
    ? t('All outputs that could be compared are the same: %1', counts)
    : `${plural(t, bad, '1 cell has a different output', '%1 cells have a different output')}: ${counts}`;
}
