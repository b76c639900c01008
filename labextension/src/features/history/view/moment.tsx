import { useEffect, useState } from 'preact/hooks';

import type { ChangedFile, FileThen } from '../../../wire/types';
import { ChangedFileDiff, iconOf, tagOf } from '../../../views/changes/changed_file';
import { grouped, plural } from '../../../views/i18n';
import { messageOf } from '../../../views/parts/buttons';
import { Disclosure } from '../../../views/parts/disclosure';
import { Counts, Path } from '../../../views/parts/files';
import { Icon } from '../../../views/parts/icons';
import { ErrorNote } from '../../../views/parts/notes';
import { useScene } from '../../../views/scene';
import { PastCell } from './past_cell';
import type { HistoryProps, Shown } from './props';

/** Number of cells that are drawn at once. */
const MORE_CELLS = 50;

/** Which files are shown as a picture, if the server sends one. */
const PICTURE = /\.(png|jpe?g|gif|webp)$/i;

interface MomentViewProps extends Shown, Pick<HistoryProps, 'loading' | 'getFile'> {}

/** Files and cells at one moment; `loading` until those of the next are there. */
export function MomentView({ turnId, moment, loading, getFile }: MomentViewProps) {
  const { t } = useScene();
  const [most, setMost] = useState(MORE_CELLS);
  const { words, files, left_out, notebook_path, cells, cells_words, language } = moment;
  if (words !== '') {
    return (
      <p class="muted acp-nothing" aria-busy={loading}>
        {words}
      </p>
    );
  }
  return (
    <div class="acp-moment" aria-busy={loading} data-loading={loading}>
      <section role="region" aria-label={t('Files')}>
        <h3>{plural(t, files.length, 'One file', '%1 files')}</h3>
        {files.length === 0 ? (
          <p class="muted">{t('No file was different from before the first turn.')}</p>
        ) : (
          files.map(file => <FileRow key={file.path} {...{ turnId, file, getFile }} />)
        )}
        {left_out > 0 && (
          <p class="muted">{t('%1 more files are not listed.', grouped(left_out))}</p>
        )}
      </section>
      <section role="region" aria-label={t('Cells')}>
        <h3 class="cut" dir="auto">
          {plural(t, cells.length, 'One cell', '%1 cells')}
          {notebook_path !== '' && <span class="muted"> {notebook_path}</span>}
        </h3>
        {cells_words !== '' && <p class="muted">{cells_words}</p>}
        <ol class="acp-cells-then" aria-label={t('Cells')}>
          {cells.slice(0, most).map((cell, index) => (
            <PastCell key={`${index} ${cell.id}`} {...{ cell, language }} number={index + 1} />
          ))}
        </ol>
        {cells.length > most && (
          <button type="button" class="btn small" onClick={() => setMost(most + MORE_CELLS)}>
            {t('Show more cells')}
          </button>
        )}
      </section>
    </div>
  );
}

interface FileRowProps {
  readonly turnId: string;
  readonly file: ChangedFile;
  readonly getFile: HistoryProps['getFile'];
}

/** A file that differed from before the first turn; it is fetched when the row is opened. */
function FileRow({ turnId, file, getFile }: FileRowProps) {
  const { t } = useScene();
  const badge = tagOf(file, t);
  const isPicture = PICTURE.test(file.path) && file.change !== 'deleted';
  return (
    <Disclosure
      id={`history ${file.path}`}
      standard={false}
      class="acp-change"
      bodyClass="acp-changebody"
      attributes={{ 'data-change': file.change }}
      line={
        <>
          <Icon name={isPicture ? 'image' : iconOf(file)} />
          <span class="t cut grow">
            <Path path={file.path} />
          </span>
          {badge !== '' && <span class="badge">{badge}</span>}
          <Counts {...file} />
        </>
      }
      body={() => (
        <>
          {file.change === 'renamed' && <p class="muted">{t('Renamed from %1', file.old_path)}</p>}
          {isPicture ? (
            <PastPicture key={turnId} {...{ turnId, file, getFile }} />
          ) : (
            // Counts and texts belong to this moment: another moment is another diff.
            <ChangedFileDiff key={turnId} {...{ turnId, file }} id={`history ${file.path}`} />
          )}
        </>
      )}
    />
  );
}

function PastPicture({ turnId, file, getFile }: FileRowProps) {
  const { t } = useScene();
  const [found, setFound] = useState<FileThen | null>(null);
  const [failure, setFailure] = useState('');
  useEffect(() => {
    let unmounted = false;
    getFile(turnId, file.path).then(
      told => unmounted || setFound(told),
      (error: unknown) => unmounted || setFailure(messageOf(error)),
    );
    return () => {
      unmounted = true;
    };
  }, [getFile, turnId, file.path]);
  if (failure !== '') {
    return <ErrorNote message={failure} detail="" />;
  }
  if (found === null) {
    return <p class="muted">{t('Loading the picture')}</p>;
  }
  return found.picture === '' ? (
    <p class="muted acp-empty">{t('This is too large to be shown here.')}</p>
  ) : (
    <img
      class="acp-picture-then"
      src={`data:${found.media_type};base64,${found.picture}`}
      alt={file.path}
    />
  );
}
