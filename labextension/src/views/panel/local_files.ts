import type { DraftAttachment } from '../../state/attachments';
import type { Translate } from '../i18n';

export const MOST_IMAGE_BYTES = 5_000_000;
export const MOST_TEXT_BYTES = 200_000;
const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** What agents that announce nothing of this are not sent. */
export interface Takes {
  readonly agent: string;
  readonly images: boolean;
}

/**
 * Reads a file that was pasted, dropped or chosen.
 *
 * @throws Error - why it can't go along, in words.
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
    if (file.size > MOST_IMAGE_BYTES) {
      throw new Error(t('%1 was not attached: an image may have 5 MB.', label));
    }
    return { kind: 'image', label, data: await base64Of(file), mimeType: file.type };
  }
  if (file.size > MOST_TEXT_BYTES) {
    throw new Error(
      t('%1 was not attached: a text from here may have 200 kB. Upload it to the server.', label),
    );
  }
  const text = textOf(await bytesOf(file));
  if (text === null) {
    throw new Error(
      t('%1 was not attached: it is neither a text nor an image. Upload it to the server.', label),
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
    // A folder that was dropped can't be read.
    reader.onerror = () => reject(reader.error ?? new Error(file.name));
    reader.readAsArrayBuffer(file);
  });
}

async function base64Of(file: File): Promise<string> {
  const bytes = await bytesOf(file);
  let text = '';
  // All at once would be more arguments than a call may have.
  for (let at = 0; at < bytes.length; at += 8192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return btoa(text);
}
