import { useState } from 'preact/hooks';

import type { Diff } from '../../wire/types';
import type { Actions } from '../actions';
import { useSplit } from '../items/diff_split';
import { ErrorNote } from '../items/note';
import { grouped } from '../parts/format';
import { Icon } from '../parts/icons';
import { Counts } from '../parts/path';
import { useScene } from '../parts/scene';
import { RevertButton } from '../turn/revert_button';
import type { Decision } from './decide';
import { openParts, type Entry, type TurnEntries } from './entries';
import { isTouched, useKept, WHOLE } from './kept';

/** So many files are taken back without a question. */
const UNASKED = 5;

export type Scope = 'turn' | 'session';

interface ReviewHeadProps {
  readonly turns: readonly TurnEntries[];
  readonly diffs: ReadonlyMap<string, Diff>;
  readonly decisions: ReadonlyMap<string, Decision>;
  readonly scope: Scope;
  /** `null` where there is no turn to choose. */
  readonly onScope: ((scope: Scope) => void) | null;
}

/** What is shown, and what is said of all of it. */
export function ReviewHead({ turns, diffs, decisions, scope, onScope }: ReviewHeadProps) {
  const { actions, t } = useScene();
  const { isKept, setKept } = useKept();
  const [split, setSplit] = useSplit();
  const [failure, setFailure] = useState('');
  const entries = turns.flatMap(turn => turn.entries);
  const open = entries.filter(({ key }) => decisions.get(key) === 'open');
  const back = open.filter(({ file, revertible }) => revertible && file.kept);
  const gone = entries.filter(({ file }) => file.reverted);
  const revertTurn = actions?.revertTurn;
  // The newest first: what a later turn made of a file is in the way of an earlier one.
  const revertAll = async (revert: NonNullable<Actions['revertTurn']>) => {
    for (const { turnId, entries: own } of [...turns].reverse()) {
      const meant = own.filter(entry => back.includes(entry));
      const whole = meant.filter(({ file }) => !isTouched(turnId, file.path));
      for (const entry of meant.filter(each => !whole.includes(each))) {
        const hunks = openParts(entry, diffs.get(entry.key), isKept);
        await revert(turnId, { hunks: { path: entry.file.path, hunks } });
      }
      if (whole.length > 0) {
        const all = whole.length === own.length;
        await revert(turnId, all ? {} : { paths: whole.map(({ file }) => file.path) });
      }
    }
  };
  const undoAll = async (revert: NonNullable<Actions['revertTurn']>) => {
    for (const { turnId } of turns.filter(turn => turn.entries.some(each => gone.includes(each)))) {
      await revert(turnId, { undo: true });
    }
  };
  const name = scope === 'turn' ? t('Changes of this turn') : t('Changes of this session');
  return (
    <>
      <header class="acp-reviewhead">
        <h2 class="cut">{name}</h2>
        <Counts added={total(entries, 'added')} removed={total(entries, 'removed')} />
        <span class="grow" />
        {onScope !== null && (
          <select
            aria-label={t('Scope')}
            value={scope}
            onChange={event => onScope(event.currentTarget.value === 'turn' ? 'turn' : 'session')}
          >
            <option value="turn">{t('This turn')}</option>
            <option value="session">{t('This session')}</option>
          </select>
        )}
        {entries.length > 0 && (
          <button
            type="button"
            class="btn quiet small acp-splitall"
            data-do="split"
            aria-pressed={split}
            onClick={() => setSplit(!split)}
          >
            <Icon name="split" />
            <span class="lab">{t('Side by side')}</span>
          </button>
        )}
        {revertTurn !== undefined && back.length > 0 && (
          <RevertButton
            words={t('Revert all')}
            question={
              back.length > UNASKED
                ? t('Make %1 files as they were before the turn?', grouped(back.length))
                : null
            }
            run={() => revertAll(revertTurn)}
            onFailure={setFailure}
          />
        )}
        {revertTurn !== undefined && back.length === 0 && gone.length > 1 && (
          <RevertButton
            words={t('Undo all')}
            question={null}
            run={() => undoAll(revertTurn)}
            onFailure={setFailure}
          />
        )}
        {open.length > 0 && (
          <button
            type="button"
            class="btn small primary"
            onClick={() => open.forEach(each => setKept(each.turnId, each.file.path, WHOLE, true))}
          >
            <Icon name="keep" />
            {t('Keep all')}
          </button>
        )}
      </header>
      {failure !== '' && <ErrorNote message={failure} detail="" />}
    </>
  );
}

function total(entries: readonly Entry[], side: 'added' | 'removed'): number | null {
  return entries.some(({ file }) => file[side] === null)
    ? null
    : entries.reduce((sum, { file }) => sum + (file[side] ?? 0), 0);
}
