import { useState } from 'preact/hooks';

import type { Diff } from '../../wire/types';
import type { Actions } from '../actions';
import { RevertButton } from '../changes/decision_buttons';
import { isInFolder, isPartlyKept, isTouched, useKept, WHOLE } from '../changes/decisions';
import type { Decision } from '../changes/decisions';
import { useSplit } from '../diff/lines_body';
import { grouped } from '../i18n';
import type { Translate } from '../i18n';
import { ActionButton } from '../parts/buttons';
import { Counts } from '../parts/files';
import { Icon } from '../parts/icons';
import { ErrorNote } from '../parts/notes';
import { useAdditions, useScene } from '../scene';
import { countsOf, openParts } from './entries';
import type { Entry, Scope, TurnEntries } from './entries';
import { keepSteps, laterOf, runSteps, stepOf, takeOutSteps, wholeSteps } from './revert_steps';

/** Up to this number of files are reverted without a confirmation. */
const MAX_WITHOUT_QUESTION = 5;

interface ReviewHeadProps {
  readonly turns: readonly TurnEntries[];
  readonly diffs: ReadonlyMap<string, Diff>;
  readonly decisions: ReadonlyMap<string, Decision>;
  readonly scopes: readonly Scope[];
  readonly scope: Scope;
  /** Whether there is room for lines side by side. */
  readonly room: boolean;
  /** Chooses a scope by its index. */
  readonly onScope: (index: number) => void;
}

/** The head of the review: its scope, counts, and buttons for all files. */
export function ReviewHead(props: ReviewHeadProps) {
  const { turns, diffs, decisions, scopes, scope, room, onScope } = props;
  const { actions, t, announce } = useScene();
  const { isKept, setKept } = useKept();
  const [split, setSplit] = useSplit();
  const [failure, setFailure] = useState('');
  const entries = turns.flatMap(turn => turn.entries);
  const open = entries.filter(({ key }) => decisions.get(key) === 'open');
  const stays = (entry: Entry) => !open.includes(entry) || isTouched(entry.marked, entry.file.path);
  // A change can't be reverted while another one that depends on it stays.
  const back = open.filter(
    entry =>
      !entry.turn.in_copy &&
      entry.revertible &&
      entry.file.kept &&
      !laterOf(entry, entries).some(stays),
  );
  const reverted = entries.filter(({ file, turn }) => file.reverted && !turn.in_copy);
  const inFolder = entries.filter(
    ({ file, turn }) => turn.in_copy && (isInFolder(file) || isPartlyKept(file)),
  );
  const revertTurn = actions?.revertTurn;
  const added = useAdditions('reviewHead');
  const [notebook, ...others] = new Set(
    entries.flatMap(({ file }) => (file.path.endsWith('.ipynb') ? file.path : [])),
  );
  const revertAll = (revert: NonNullable<Actions['revertTurn']>) =>
    // The newest first, since later changes of a file depend on earlier ones.
    runSteps(
      revert,
      [...turns].reverse().flatMap(each => {
        const chosen = each.entries.filter(entry => back.includes(entry));
        const isWhole = ({ marked, file }: Entry) => !isTouched(marked, file.path);
        const parts = chosen.filter(entry => !isWhole(entry));
        return [
          ...parts.map(entry => {
            const hunks = openParts(entry, diffs.get(entry.key), isKept);
            return stepOf(entry, { hunks: { path: entry.file.path, hunks } });
          }),
          ...wholeSteps(each, chosen.filter(isWhole), false),
        ];
      }),
    );
  const undoAll = (revert: NonNullable<Actions['revertTurn']>) =>
    runSteps(
      revert,
      turns.flatMap(each => {
        const chosen = each.entries.filter(entry => reverted.includes(entry));
        return wholeSteps(each, chosen, true);
      }),
    );
  const keepAll = async () => {
    for (const { marked, file, turn } of open) {
      if (!turn.in_copy) {
        setKept(marked, file.path, WHOLE, true);
      }
    }
    const openOf = (entry: Entry) =>
      isTouched(entry.marked, entry.file.path)
        ? openParts(entry, diffs.get(entry.key), isKept)
        : null;
    const steps = keepSteps(turns, open.filter(isPuttable), openOf);
    if (revertTurn !== undefined) {
      await runSteps(revertTurn, steps);
    }
  };
  const name = nameOf(scope, t);
  const narrow = t('There is no room for side by side. Widen this tab or close a sidebar.');
  return (
    <>
      <header class="acp-reviewhead" role="presentation">
        <h2 class="cut">{name}</h2>
        <Counts {...total(entries, diffs)} />
        <span class="grow" />
        {scopes.length > 1 && (
          <select
            aria-label={t('Scope')}
            value={scope.kind}
            onChange={event =>
              onScope(scopes.findIndex(({ kind }) => kind === event.currentTarget.value))
            }
          >
            {scopes.map(({ kind }) => (
              <option key={kind} value={kind}>
                {{ turn: t('This turn'), run: t('This run'), session: t('This session') }[kind]}
              </option>
            ))}
          </select>
        )}
        {entries.length > 0 && (
          <button
            type="button"
            class="btn quiet small acp-splitall"
            data-do="split"
            aria-pressed={split}
            aria-disabled={!room}
            title={room ? undefined : narrow}
            onClick={() => (room ? setSplit(!split) : announce(narrow, 'assertive'))}
          >
            <Icon name="split" />
            <span class="lab">{t('Side by side')}</span>
          </button>
        )}
        {notebook !== undefined &&
          others.length === 0 &&
          added.map((Added, index) => <Added key={index} notebook={notebook} />)}
        {revertTurn !== undefined && back.length > 0 && (
          <RevertButton
            words={t('Revert all')}
            question={
              back.length > MAX_WITHOUT_QUESTION
                ? t('Restore %1 files to what they were before?', grouped(back.length))
                : null
            }
            run={() => revertAll(revertTurn)}
            onFailure={setFailure}
          />
        )}
        {revertTurn !== undefined && back.length === 0 && reverted.length > 1 && (
          <RevertButton
            words={t('Undo all')}
            question={null}
            run={() => undoAll(revertTurn)}
            onFailure={setFailure}
          />
        )}
        {revertTurn !== undefined && open.length === 0 && inFolder.length > 1 && (
          <RevertButton
            words={t('Undo all')}
            question={null}
            run={() => runSteps(revertTurn, takeOutSteps(turns, inFolder))}
            onFailure={setFailure}
          />
        )}
        {open.some(entry => !entry.turn.in_copy || isPuttable(entry)) && (
          <ActionButton
            class="btn small primary"
            label={t('Keep all')}
            run={() => {
              setFailure('');
              return keepAll();
            }}
            onFailure={setFailure}
          >
            <Icon name="keep" />
            {t('Keep all')}
          </ActionButton>
        )}
      </header>
      {split && !room && entries.length > 0 && <p class="muted acp-noroom">{narrow}</p>}
      {failure !== '' && <ErrorNote message={failure} detail="" />}
    </>
  );
}

/** Whether a file in a copy can be kept. */
function isPuttable({ revertible, file }: Entry): boolean {
  return revertible && file.kept;
}

function total(entries: readonly Entry[], diffs: ReadonlyMap<string, Diff>) {
  const counts = entries.map(entry => countsOf(entry, diffs.get(entry.key)));
  const sum = (side: 'added' | 'removed') =>
    counts.some(each => each[side] === null)
      ? null
      : counts.reduce((all, each) => all + (each[side] ?? 0), 0);
  return { added: sum('added'), removed: sum('removed') };
}

function nameOf(scope: Scope, t: Translate): string {
  switch (scope.kind) {
    case 'turn':
      return t('Changes of this turn');
    case 'run':
      return t('Changes of %1', scope.name);
    case 'session':
      return t('Changes of this session');
  }
}
