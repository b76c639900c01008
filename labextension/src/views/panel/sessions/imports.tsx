import type { ImportProgress } from '../../../wire/types';
import type { Actions } from '../../actions';
import { bytes, grouped } from '../../i18n';
import type { Translate } from '../../i18n';
import { ActionButton } from '../../parts/buttons';
import { Icon } from '../../parts/icons';

interface ImportsPartProps {
  readonly imports: readonly ImportProgress[];
  readonly actions: Actions;
  readonly t: Translate;
  readonly onFailure: (message: string) => void;
}

/** The logs that are being imported, each with its progress and a button that stops it. */
export function ImportsPart({ imports, actions, t, onFailure }: ImportsPartProps) {
  const { life } = actions;
  return imports.length === 0 ? null : (
    <section class="acp-others" aria-label={t('Importing')}>
      <h3>{t('Importing')}</h3>
      <ul role="list">
        {imports.map(({ import_id: id, file_name: name, ...progress }) => (
          <li key={id}>
            <span class="s">
              <Icon name="file" />
              <span class="t cut" dir="auto" title={name}>
                {name}
              </span>
              <span class="sub">
                <span class="cut">{words(progress, t)}</span>
              </span>
              <progress
                aria-label={t('Import of %1', name)}
                max={progress.bytes_total}
                value={progress.bytes_read}
              />
            </span>
            {life !== undefined && (
              <ActionButton
                class="btn small"
                label={t('Cancel the import of %1', name)}
                run={() => life.run({ name: 'cancel_import', import_id: id })}
                onFailure={onFailure}
              >
                {t('Cancel')}
              </ActionButton>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function words(progress: Omit<ImportProgress, 'import_id' | 'file_name'>, t: Translate): string {
  const { stage, lines, bytes_read: read, bytes_total: total } = progress;
  return t(
    stage === 'survey' ? 'Looking through: %1 lines, %2 of %3' : '%1 lines, %2 of %3',
    grouped(lines),
    bytes(read),
    bytes(total),
  );
}
