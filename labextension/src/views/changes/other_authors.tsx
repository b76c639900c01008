import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import type { ChangedFile, TurnChanges } from '../../wire/types';
import { grouped, plural } from '../i18n';
import { ErrorNote } from '../parts/notes';
import { useScene } from '../scene';
import { unknownWords } from './authors';
import { ChangedFileRow } from './changed_file';
import { RevertButton } from './decision_buttons';

interface OtherAuthorsProps {
  readonly turnId: string;
  readonly changes: TurnChanges;
  /** Up to this number of files are reverted without a confirmation. */
  readonly maxWithoutQuestion: number;
}

/** Changes during the turn that are not the turn's, by author. */
export function OtherAuthors({ turnId, changes, maxWithoutQuestion }: OtherAuthorsProps) {
  const { actions, t } = useScene();
  const [failure, setFailure] = useState('');
  const of = (author: ChangedFile['author']) => changes.files.filter(f => f.author === author);
  const [unknown, another, yours] = [of('unknown'), of('another'), of('you')];
  const more = changes.unknown_left_out;
  const left = unknown.filter(({ kept, reverted }) => kept && !reverted).length + more;
  const undo = left === 0;
  const revertTurn = changes.revertible ? actions?.revertTurn : undefined;
  const words = unknownWords(changes, t);
  const canUndo = unknown.length > 1 && unknown.some(({ reverted }) => reverted);
  return (
    <>
      {words !== '' && (
        <Group {...{ turnId, words }} name={t('Author unknown')} files={unknown} more={more}>
          {revertTurn !== undefined && (left > 0 || canUndo) && (
            <RevertButton
              words={undo ? t('Undo') : plural(t, left, 'Revert this too', 'Revert these %1 too')}
              question={
                left > maxWithoutQuestion
                  ? t('Restore %1 files to what they were before the turn?', grouped(left))
                  : null
              }
              run={() => revertTurn(turnId, { authors: ['unknown'], undo })}
              onFailure={setFailure}
            />
          )}
          {failure !== '' && <ErrorNote message={failure} detail="" />}
        </Group>
      )}
      <Group
        turnId={turnId}
        name={t('Changed by another turn')}
        words={plural(
          t,
          another.length,
          'Another turn changed 1 file. Revert leaves it.',
          'Another turn changed %1 files. Revert leaves them.',
        )}
        files={another}
      />
      <Group
        turnId={turnId}
        name={t('Changed by you')}
        words={plural(
          t,
          yours.length,
          'You changed 1 file. Revert leaves it.',
          'You changed %1 files. Revert leaves them.',
        )}
        files={yours}
      />
    </>
  );
}

interface GroupProps {
  readonly turnId: string;
  /** For screen readers. */
  readonly name: string;
  readonly words: string;
  readonly files: readonly ChangedFile[];
  /** Number of files that are not listed. */
  readonly more?: number;
  readonly children?: ComponentChildren;
}

function Group({ turnId, name, words, files, more = 0, children }: GroupProps) {
  const { t } = useScene();
  return files.length + more === 0 ? null : (
    <section class="acp-others" role="group" aria-label={name}>
      <header role="presentation">
        <span>{words}</span>
        {children}
      </header>
      <ul role="list">
        {files.map(file => (
          <li key={file.path}>
            <ChangedFileRow
              turnId={turnId}
              file={file}
              revertible={file.kept}
              reported={undefined}
            />
          </li>
        ))}
      </ul>
      {more > 0 && (
        <p class="acp-changewords muted">
          {plural(t, more, 'and 1 more file', 'and %1 more files')}
        </p>
      )}
    </section>
  );
}
