import { useCallback, useState } from 'preact/hooks';

import { IMAGE_TYPES, MAX_ATTACHMENTS, MAX_IMAGE_BYTES } from '../../../state/attachments';
import type { DraftAttachment } from '../../../state/attachments';
import type { SessionStore } from '../../../state/store';
import type { Translate } from '../../i18n';
import { messageOf } from '../../parts/buttons';
import { useSubscription } from '../../scene';

/** The attachments of the draft, and event handlers for pasted and dropped files. */
export interface AttachmentsInput {
  readonly list: readonly DraftAttachment[];
  readonly remove: (attachment: DraftAttachment) => void;
  readonly add: (attachment: DraftAttachment) => void;
  readonly addFiles: (files: readonly File[]) => void;
  /** Whether files are dragged over the box. */
  readonly over: boolean;
  readonly box: {
    readonly onDragOver?: (event: DragEvent) => void;
    readonly onDragLeave?: (event: DragEvent) => void;
    readonly onDrop?: (event: DragEvent) => void;
    readonly onPaste?: (event: ClipboardEvent) => void;
  };
}

/** The attachments of the draft; `takes` is `null` if nothing can be attached. */
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
      onFailure(t('A message can have %1 attachments.', MAX_ATTACHMENTS));
    }
  };
  const addFiles = (files: readonly File[]) => {
    if (takes === null) {
      return;
    }
    for (const file of files.slice(0, MAX_ATTACHMENTS)) {
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
            // Office programs copy an image of the text in addition to the text.
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

export const MAX_TEXT_BYTES = 200_000;

/** The types that the agent accepts. */
export interface Takes {
  readonly agent: string;
  readonly images: boolean;
}

/**
 * Reads a file that was pasted, dropped or chosen.
 *
 * @throws Error - with a message for the user, if it can't be attached.
 */
export async function fromLocalFile(
  file: File,
  takes: Takes,
  t: Translate,
): Promise<DraftAttachment> {
  const label = file.name === '' ? t('Pasted image') : file.name;
  if (file.type.startsWith('image/') && file.type !== 'image/svg+xml') {
    if (!takes.images) {
      throw new Error(t('%1 does not take images, so %2 was not attached.', takes.agent, label));
    }
    if (!IMAGE_TYPES.has(file.type)) {
      throw new Error(t('%1 was not attached: only PNG, JPEG, GIF and WebP images can be.', label));
    }
    if (file.size > MAX_IMAGE_BYTES) {
      throw new Error(t('%1 was not attached: an image can have at most 5 MB.', label));
    }
    return { kind: 'image', label, data: await base64Of(file), mimeType: file.type };
  }
  if (file.size > MAX_TEXT_BYTES) {
    throw new Error(
      t(
        '%1 was not attached: a text file can have at most 200 kB. Upload it to the server.',
        label,
      ),
    );
  }
  const text = textOf(await bytesOf(file));
  if (text === null) {
    throw new Error(
      t('%1 was not attached: it is neither text nor an image. Upload it to the server.', label),
    );
  }
  return { kind: 'text', label, text, mimeType: mimeOf(file) };
}

function mimeOf({ type }: File): string {
  const plain = type.split(';', 1)[0] ?? '';
  return /^[a-z0-9][\w.+-]*\/[\w.+-]+$/i.test(plain) ? plain : 'text/plain';
}

function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) {
    return null;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

async function bytesOf(file: File): Promise<Uint8Array> {
  return new Uint8Array(await bufferOf(file));
}

function bufferOf(file: File): Promise<ArrayBuffer> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () =>
      reader.result instanceof ArrayBuffer ? resolve(reader.result) : reject(new Error(file.name));
    // A dropped folder can't be read.
    reader.onerror = () => reject(reader.error ?? new Error(file.name));
    reader.readAsArrayBuffer(file);
  });
}

async function base64Of(file: File): Promise<string> {
  const bytes = await bytesOf(file);
  let text = '';
  // A call can't have that many arguments at once.
  for (let at = 0; at < bytes.length; at += 8192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return btoa(text);
}
