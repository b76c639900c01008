import { useEffect, useState } from 'preact/hooks';

import type { ChangedFile, FileTexts } from '../../wire/types';
import { DiffBox } from '../items/diff';
import { ErrorNote } from '../items/note';
import { messageOf } from '../parts/buttons';
import { Disclosure } from '../parts/disclosure';
import { Icon } from '../parts/icons';
import { Counts, Path } from '../parts/path';
import { useScene } from '../parts/scene';
import { RevertButton } from './revert_button';

interface ChangedFileRowProps {
  readonly turnId: string;
  readonly file: ChangedFile;
  /** Whether the turn's changes can be taken back. */
  readonly revertible: boolean;
}

/** One file that a turn changed; its diff is fetched when it is opened. */
export function ChangedFileRow({ turnId, file, revertible }: ChangedFileRowProps) {
  const { t } = useScene();
  const badge = file.reverted
    ? t('reverted')
    : { added: t('new'), deleted: t('deleted'), renamed: t('renamed'), type: '', modified: '' }[
        file.change
      ];
  return (
    <Disclosure
      id={`change ${turnId} ${file.path}`}
      standard={false}
      bodyClass="acp-changebody"
      attributes={{ 'data-change': file.change }}
      line={
        <>
          <Icon name={file.change === 'added' ? 'plus' : 'edit'} />
          <span class="t cut grow">
            <Path path={file.path} />
          </span>
          {badge !== '' && <span class="badge">{badge}</span>}
          <Counts added={file.added} removed={file.removed} />
        </>
      }
      body={() => <ChangedFileBody turnId={turnId} file={file} revertible={revertible} />}
    />
  );
}

function ChangedFileBody({ turnId, file, revertible }: ChangedFileRowProps) {
  const { actions, t } = useScene();
  const [failure, setFailure] = useState('');
  const revertTurn = actions?.revertTurn;
  return (
    <>
      {file.change === 'renamed' && <p class="muted">{t('Renamed from %1', file.old_path)}</p>}
      {file.words !== '' && <p class="muted">{file.words}</p>}
      <ChangedFileDiff turnId={turnId} file={file} />
      {failure !== '' && <ErrorNote message={failure} detail="" />}
      {revertTurn !== undefined && revertible && file.kept && !file.reverted && (
        <p class="acp-changefoot">
          <RevertButton
            words={t('Revert this file')}
            question={t('Make %1 as it was before the turn?', file.path)}
            run={() => revertTurn(turnId, { paths: [file.path] })}
            onFailure={setFailure}
          />
        </p>
      )}
    </>
  );
}

type Fetched =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly message: string }
  | { readonly state: 'here'; readonly file: FileTexts | null };

function ChangedFileDiff({ turnId, file }: Pick<ChangedFileRowProps, 'turnId' | 'file'>) {
  const { actions, t } = useScene();
  const [fetched, setFetched] = useState<Fetched>({ state: 'loading' });
  const getChanges = actions?.getChanges;
  useEffect(() => {
    let wanted = true;
    const take = (next: Fetched) => wanted && setFetched(next);
    if (getChanges === undefined) {
      take({ state: 'here', file: null });
    } else {
      getChanges(turnId, file.path).then(
        found => take({ state: 'here', file: found }),
        (error: unknown) => take({ state: 'failed', message: messageOf(error) }),
      );
    }
    return () => {
      wanted = false;
    };
  }, [turnId, file.path]);
  if (fetched.state === 'loading') {
    return (
      <p class="acp-loading muted">
        <span class="spin" aria-hidden="true" />
        {t('Loading the diff')}
      </p>
    );
  }
  if (fetched.state === 'failed') {
    return <ErrorNote message={fetched.message} detail="" />;
  }
  const { old_text: before, new_text: after } = fetched.file ?? { old_text: null, new_text: null };
  if (fetched.file === null || (before === null && after === null)) {
    return <p class="muted">{whyNot(fetched.file ?? file, t)}</p>;
  }
  const diff = {
    path: file.path,
    old_text: before,
    new_text: after ?? '',
    is_new_file: file.change === 'added',
    added: file.added,
    removed: file.removed,
  };
  return <DiffBox diff={diff} id={`change ${turnId} ${file.path}`} />;
}

function whyNot(file: ChangedFile | FileTexts, t: (words: string) => string): string {
  if (file.binary) {
    return t('This is no text.');
  }
  return 'too_large' in file && file.too_large
    ? t('This is too large to be shown.')
    : t('What changed in it is not kept here.');
}
