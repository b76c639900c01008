import type { Diff } from '../../../../wire/types';
import { compareCells } from '../../../../views/diff/compare_cells';
import { plural } from '../../../../views/i18n';
import { Counts, Path } from '../../../../views/parts/files';
import { Icon } from '../../../../views/parts/icons';
import { useScene } from '../../../../views/scene';
import { diffKey } from './files';
import type { Diffs, FileOfVariant, VariantsFile } from './files';

interface VariantFilesProps {
  readonly files: readonly VariantsFile[];
  readonly diffs: Diffs;
  /** The path of the file whose changes are shown. */
  readonly chosen: string;
  readonly onChoose: (path: string) => void;
  /** Id of the element that shows its changes. */
  readonly panelId: string;
  /** Files that the server does not list. */
  readonly leftOut: number;
}

/** The files that some variant changed, each with who changed it. */
export function VariantFiles(props: VariantFilesProps) {
  const { files, diffs, chosen, onChoose, panelId, leftOut } = props;
  const { t } = useScene();
  return (
    <div class="acp-files acp-varfiles">
      <h3>{plural(t, files.length, '1 file', '%1 files')}</h3>
      <div role="tablist" aria-orientation="vertical" aria-label={t('Changed files')}>
        {files.map(({ path, changes }) => (
          <button
            key={path}
            type="button"
            role="tab"
            aria-selected={path === chosen}
            aria-controls={panelId}
            tabIndex={path === chosen ? 0 : -1}
            onClick={() => onChoose(path)}
          >
            <Path path={path} />
            <span class="acp-varmarks">
              {changes.map(change => (
                <Change
                  key={change.variant.number}
                  {...change}
                  diff={diffs.get(diffKey(change.variant, path))}
                />
              ))}
            </span>
          </button>
        ))}
      </div>
      {leftOut > 0 && (
        <p class="muted">{plural(t, leftOut, 'and 1 more file', 'and %1 more files')}</p>
      )}
    </div>
  );
}

interface ChangeProps extends FileOfVariant {
  /** Once it was fetched. */
  readonly diff: Diff | undefined;
}

/** A variant's change of the file; for a notebook the lines of its cells are counted. */
function Change({ variant, file, reported, diff }: ChangeProps) {
  const { t } = useScene();
  const isKept = file !== null && file.kept && !file.reverted;
  const counted = (diff && compareCells(diff)) ?? file ?? reported;
  return (
    <span class="acp-varmark" data-state={isKept ? 'kept' : undefined}>
      <span class="vh">{t('Variant %1', variant.number)}</span>
      <b class="num" aria-hidden="true">
        {variant.number}
      </b>
      {counted !== null && <Counts added={counted.added} removed={counted.removed} />}
      {file === null && <span class="spin" role="img" aria-label={t('Working')} />}
      {isKept && (
        <span class="mark ok" role="img" aria-label={t('Kept')} title={t('Kept')}>
          <Icon name="keep" small />
        </span>
      )}
    </span>
  );
}
