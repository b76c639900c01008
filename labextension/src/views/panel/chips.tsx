import type { DraftAttachment } from '../../state/attachments';
import type { Translate } from '../i18n';
import type { IconName } from '../parts/drawings';
import { Icon } from '../parts/icons';

const ICONS: Record<DraftAttachment['kind'], IconName> = {
  file: 'read',
  document: 'file',
  cell: 'cell',
  variable: 'variable',
  error: 'warning',
  selection: 'code',
  text: 'file',
  image: 'image',
};

interface ChipsProps {
  readonly attachments: readonly DraftAttachment[];
  readonly t: Translate;
  readonly onRemove: (attachment: DraftAttachment) => void;
}

/** What goes along with the message. */
export function Chips({ attachments, t, onRemove }: ChipsProps) {
  return attachments.length === 0 ? null : (
    <ul class="acp-chips" role="list" aria-label={t('Attachments')}>
      {attachments.map((attachment, index) => (
        <li key={`${attachment.kind} ${attachment.label} ${index}`} class="acp-chip">
          {attachment.kind === 'image' ? (
            <img src={`data:${attachment.mimeType};base64,${attachment.data}`} alt="" />
          ) : (
            <Icon name={ICONS[attachment.kind]} />
          )}
          <span class="cut" title={attachment.label}>
            {attachment.label}
          </span>
          <button
            type="button"
            class="x"
            aria-label={t('Remove %1', attachment.label)}
            title={t('Remove %1', attachment.label)}
            onClick={() => onRemove(attachment)}
          >
            <Icon name="close" small />
          </button>
        </li>
      ))}
    </ul>
  );
}
