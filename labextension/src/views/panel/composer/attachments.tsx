import { useRef, useState } from 'preact/hooks';

import type { DraftAttachment } from '../../../state/attachments';
import { press } from '../../user_events';
import type { Translate } from '../../i18n';
import { IconButton } from '../../parts/buttons';
import type { IconName } from '../../parts/icon_drawings';
import { Icon } from '../../parts/icons';

const ICONS: Record<DraftAttachment['kind'], IconName> = {
  file: 'read',
  document: 'file',
  cell: 'cell',
  variable: 'variable',
  error: 'warning',
  output: 'terminal',
  selection: 'code',
  text: 'file',
  image: 'image',
};

interface ChipsProps {
  readonly attachments: readonly DraftAttachment[];
  readonly t: Translate;
  readonly onRemove: (attachment: DraftAttachment) => void;
  /** Called when the focus should leave: after the last attachment, Escape, or a click. */
  readonly onLeave: () => void;
}

/** The attachments of the message: one tab stop, arrows move, Delete removes. */
export function Chips({ attachments, t, onRemove, onLeave }: ChipsProps) {
  const list = useRef<HTMLUListElement>(null);
  const [current, setCurrent] = useState(0);
  const last = attachments.length - 1;
  const go = (index: number) => {
    const buttons = list.current?.querySelectorAll('button');
    buttons?.[Math.max(0, Math.min(last, index))]?.focus();
  };
  const remove = (index: number, byPointer: boolean) => {
    const attachment = attachments[index];
    if (attachment === undefined) {
      return;
    }
    // Otherwise the focus goes to the attachment that replaces it.
    if (byPointer || last === 0) {
      onLeave();
    }
    onRemove(attachment);
  };
  const onKeyDown = (event: KeyboardEvent, index: number) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) {
      return;
    }
    switch (event.key) {
      case 'Delete':
      case 'Backspace':
        remove(index, false);
        break;
      case 'ArrowLeft':
        go(index - 1);
        break;
      case 'ArrowRight':
        go(index + 1);
        break;
      case 'Home':
        go(0);
        break;
      case 'End':
        go(last);
        break;
      case 'Escape':
        onLeave();
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return attachments.length === 0 ? null : (
    <ul class="acp-chips" role="list" aria-label={t('Attachments')} ref={list}>
      {attachments.map((attachment, index) => (
        <li key={`${attachment.kind} ${attachment.label} ${index}`} class="acp-chip">
          <Sign attachment={attachment} />
          <span class="cut" title={attachment.label}>
            {attachment.label}
          </span>
          <button
            type="button"
            class="x"
            tabIndex={index === Math.min(current, last) ? 0 : -1}
            aria-label={t('Remove %1', attachment.label)}
            title={t('Remove %1', attachment.label)}
            onFocus={() => setCurrent(index)}
            onKeyDown={event => onKeyDown(event, index)}
            // `detail` is 0 for a click by keyboard.
            onClick={event => remove(index, event.detail > 0)}
          >
            <Icon name="close" small />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The picture that is attached, or an icon. */
function Sign({ attachment }: { readonly attachment: DraftAttachment }) {
  const { kind } = attachment;
  const picture = kind === 'image' ? attachment : kind === 'output' ? attachment.picture : null;
  return picture === null ? (
    <Icon name={ICONS[kind]} />
  ) : (
    <img src={`data:${picture.mimeType};base64,${picture.data}`} alt="" />
  );
}

interface AttachButtonProps {
  readonly t: Translate;
  readonly onFiles: (files: readonly File[]) => void;
}

/** Chooses files of the user's own machine. */
export function AttachButton({ t, onFiles }: AttachButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton icon="attach" label={t('Attach')} onClick={() => press(input.current)} />
      <input
        type="file"
        multiple
        hidden
        aria-hidden="true"
        tabIndex={-1}
        ref={input}
        onChange={event => {
          onFiles([...(event.currentTarget.files ?? [])]);
          // The same file may be chosen again.
          event.currentTarget.value = '';
        }}
      />
    </>
  );
}
