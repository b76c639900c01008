import { useEffect, useState } from 'preact/hooks';

import type { ChangedFile, Item, TurnChanges } from '../../wire/types';
import { grouped, plural } from '../i18n';
import { Counts } from '../parts/files';
import { Icon } from '../parts/icons';
import { ErrorNote } from '../parts/notes';
import { useScene } from '../scene';
import { isTurns } from '../../state/changed_files';
import { ChangedFileRow } from './changed_file';
import { PutButton, RevertButton } from './decision_buttons';
import { isInCopy, isInFolder, linesLeft, useKept, WHOLE } from './decisions';
import { OtherAuthors } from './other_authors';
import { changesOf, ReportedChanges, total } from './reported';

/** Up to this number of files are reverted without a confirmation. */
const MAX_WITHOUT_QUESTION = 5;

interface ChangesProps {
  readonly turnId: string;
  readonly items: readonly Item[];
  /** The result of comparing the folder; `null` if it was not compared. */
  readonly changes: TurnChanges | null;
  /** Why the changes are not known; empty if they are. */
  readonly unknown?: string;
}

/** The files that a finished turn changed, each with its diff on demand. */
export function Changes({ turnId, items, changes, unknown = '' }: ChangesProps) {
  const { actions, store, t } = useScene();
  const { isKept, setKept } = useKept();
  const [failure, setFailure] = useState('');
  useEffect(() => setFailure(''), [changes]);
  if (changes === null) {
    return <ReportedChanges turnId={turnId} items={items} unknown={unknown} />;
  }
  const inCopy = isInCopy(store, turnId);
  const files = changes.files.filter(isTurns);
  const reported = new Map(changesOf(items).map(change => [change.path, change]));
  const reportedOf = (file: ChangedFile) =>
    actions === null || isUnread(file) ? reported.get(file.path) : undefined;
  const counted = files.map(
    file => (isUnread(file) ? reportedOf(file) : undefined) ?? linesLeft(file, inCopy),
  );
  const count = files.length + changes.left_out;
  const left = files.filter(file => file.kept && !file.reverted).length + changes.left_out;
  const undoable = files.length > 1 && left === 0 && files.some(file => file.reverted);
  const open = files.filter(file => !file.reverted && !isKept(turnId, file.path, WHOLE));
  const revertTurn = changes.revertible ? actions?.revertTurn : undefined;
  const variant = store.view.turns.get(turnId)?.variant ?? 0;
  return (
    <div class="acp-changes" role="group" aria-label={t('Changes')}>
      <header role="presentation">
        <b>
          {count === 0
            ? t('The turn changed no file')
            : plural(t, count, '1 file changed', '%1 files changed')}
        </b>
        {files.length > 1 && changes.left_out === 0 && (
          <Counts added={total(counted, 'added')} removed={total(counted, 'removed')} />
        )}
        {inCopy && <span class="muted cut">{t('in a copy of the folder')}</span>}
        <span class="acp-acts">
          {inCopy && <KeepAll turnId={turnId} changes={changes} onFailure={setFailure} />}
          {variant === 0 && files.length > 0 && actions?.review !== undefined && (
            <button type="button" class="btn quiet small" onClick={() => actions.review?.(turnId)}>
              {t('Review')}
            </button>
          )}
          {!inCopy && actions !== null && open.length > 1 && (
            <button
              type="button"
              class="btn quiet small"
              aria-label={t('Keep all')}
              title={t('Keep all')}
              onClick={() => open.forEach(file => setKept(turnId, file.path, WHOLE, true))}
            >
              <Icon name="keep" />
              <span class="lab">{t('Keep all')}</span>
            </button>
          )}
          {!inCopy && revertTurn !== undefined && count > 1 && left > 0 && open.length > 0 && (
            <RevertButton
              words={t('Revert all')}
              question={
                left > MAX_WITHOUT_QUESTION
                  ? t('Restore %1 files to what they were before the turn?', grouped(left))
                  : null
              }
              run={() => revertTurn(turnId, {})}
              onFailure={setFailure}
            />
          )}
          {!inCopy && revertTurn !== undefined && undoable && (
            <RevertButton
              words={t('Undo')}
              question={null}
              run={() => revertTurn(turnId, { undo: true })}
              onFailure={setFailure}
            />
          )}
        </span>
      </header>
      {failure !== '' && <ErrorNote message={failure} detail="" />}
      {changes.words !== '' && (
        <p class="acp-changewords muted">
          {!changes.revertible && <b>{inCopy ? t("Can't be kept.") : t("Can't be reverted.")} </b>}
          {changes.words}
        </p>
      )}
      <ul role="list">
        {files.map(file => (
          <li key={file.path}>
            <ChangedFileRow
              turnId={turnId}
              file={file}
              revertible={changes.revertible}
              reported={reportedOf(file)}
            />
          </li>
        ))}
      </ul>
      {changes.left_out > 0 && (
        <p class="acp-changewords muted">
          {plural(t, changes.left_out, 'and 1 more file', 'and %1 more files')}
        </p>
      )}
      <OtherAuthors turnId={turnId} changes={changes} maxWithoutQuestion={MAX_WITHOUT_QUESTION} />
    </div>
  );
}

interface KeepAllProps {
  readonly turnId: string;
  readonly changes: TurnChanges;
  readonly onFailure: (message: string) => void;
}

/** Keeps all changes in a copy of the folder, if they are in more than one file; and Undo. */
export function KeepAll({ turnId, changes, onFailure }: KeepAllProps) {
  const { actions, t } = useScene();
  const revertTurn = changes.revertible ? actions?.revertTurn : undefined;
  const stored = changes.files.filter(({ kept }) => kept);
  if (revertTurn === undefined || changes.files.length < 2 || stored.length === 0) {
    return null;
  }
  const isLeft = !stored.every(file => isInFolder(file));
  return (
    <PutButton
      decision={isLeft ? 'open' : 'kept'}
      name={t('all')}
      keepWords={t('Keep all')}
      put={keep => revertTurn(turnId, { undo: keep })}
      onFailure={onFailure}
    />
  );
}

/** Whether the file was never read, so that only tool calls show its change. */
function isUnread({ kept, old_text_id, new_text_id }: ChangedFile): boolean {
  return !kept && old_text_id === '' && new_text_id === '';
}
