import { useCallback, useState } from 'preact/hooks';

import { MOST_ATTACHMENTS, type DraftAttachment } from '../../state/attachments';
import type { SessionStore } from '../../state/store';
import type { Translate } from '../i18n';
import { messageOf } from '../parts/buttons';
import { useSubscription } from '../parts/hooks';
import { fromLocalFile, type Takes } from './local_files';

/** What is attached, and the ways in for files. */
export interface AttachmentsInput {
  readonly list: readonly DraftAttachment[];
  readonly remove: (attachment: DraftAttachment) => void;
  readonly add: (attachment: DraftAttachment) => void;
  readonly addFiles: (files: readonly File[]) => void;
  /** Whether files are held above the box. */
  readonly over: boolean;
  readonly box: {
    readonly onDragOver?: (event: DragEvent) => void;
    readonly onDragLeave?: (event: DragEvent) => void;
    readonly onDrop?: (event: DragEvent) => void;
    readonly onPaste?: (event: ClipboardEvent) => void;
  };
}

/** Attachments of the draft; `takes` is `null` where nothing can be attached. */
export function useAttachments(
  { ui: { attachments } }: SessionStore,
  takes: Takes | null,
  t: Translate,
  onFailure: (message: string) => void,
): AttachmentsInput {
  useSubscription(useCallback(listener => attachments.subscribe(listener), [attachments]));
  const [over, setOver] = useState(false);

  const add = (attachment: DraftAttachment) => {
    if (!attachments.add(attachment)) {
      onFailure(t('A message can have %1 attachments.', MOST_ATTACHMENTS));
    }
  };
  const addFiles = (files: readonly File[]) => {
    if (takes === null) {
      return;
    }
    for (const file of files.slice(0, MOST_ATTACHMENTS)) {
      fromLocalFile(file, takes, t).then(add, (error: unknown) => onFailure(messageOf(error)));
    }
  };
  const box: AttachmentsInput['box'] =
    takes === null
      ? {}
      : {
          onDragOver: event => {
            if (event.dataTransfer?.types.includes('Files') === true) {
              event.preventDefault();
              event.dataTransfer.dropEffect = 'copy';
              setOver(true);
            }
          },
          onDragLeave: event => {
            const to = event.relatedTarget instanceof Node ? event.relatedTarget : null;
            const from = event.currentTarget instanceof Node ? event.currentTarget : null;
            if (from?.contains(to) !== true) {
              setOver(false);
            }
          },
          onDrop: event => {
            setOver(false);
            const files = [...(event.dataTransfer?.files ?? [])];
            if (files.length > 0) {
              event.preventDefault();
              event.stopPropagation();
              addFiles(files);
            }
          },
          onPaste: event => {
            const files = [...(event.clipboardData?.files ?? [])];
            // Office programs copy a picture of the text beside the text.
            const hasText = event.clipboardData?.types.includes('text/plain') === true;
            if (files.length > 0 && !hasText) {
              event.preventDefault();
              addFiles(files);
            }
          },
        };
  return {
    list: attachments.list,
    remove: attachment => attachments.remove(attachment),
    add,
    addFiles,
    over,
    box,
  };
}
