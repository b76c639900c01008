import { describe, expect, it } from 'vitest';

import {
  Attachments,
  mentionAt,
  MAX_ATTACHMENTS,
  MAX_IMAGE_BYTES,
} from '../../../state/attachments';
import type { Mention } from '../../actions';
import { identity } from '../../i18n';
import { fromLocalFile, MAX_TEXT_BYTES } from './local_files';
import { grouped, marked, mentionBeside, withMention, withoutMention } from './mentions';

describe('what is written after @', () => {
  it.each([
    ['@', 1, { query: '', start: 0, end: 1 }],
    ['look at @cl', 11, { query: 'cl', start: 8, end: 11 }],
    ['(@cl and more', 4, { query: 'cl', start: 1, end: 4 }],
    ['mail me@home', 12, null],
    ['@cleaned is', 11, null],
    ['no', 2, null],
  ])('of %j at %i', (text, caret, token) => {
    expect(mentionAt(text, caret)).toEqual(token);
  });

  it('is bounded', () => {
    expect(mentionAt(`@${'a'.repeat(5_000)}`, 5_001)).toBeNull();
  });

  it('becomes the word, and the caret goes behind it', () => {
    const token = { query: 'cl', start: 3, end: 6 };
    expect(withMention('to @cl', token, 'clean.py')).toEqual({ text: 'to @clean.py ', caret: 13 });
    expect(withMention('to @cl now', token, 'x')).toEqual({ text: 'to @x now', caret: 6 });
  });

  it('is deleted whole, by the key towards it', () => {
    const text = 'to @a.py and @a.pyx';
    expect(mentionBeside(text, 8, 'Backspace', ['a.py'])).toEqual([3, 8]);
    expect(mentionBeside(text, 3, 'Delete', ['a.py'])).toEqual([3, 8]);
    expect(mentionBeside(text, 8, 'Delete', ['a.py'])).toBeNull();
    expect(mentionBeside(text, 18, 'Backspace', ['a.py'])).toBeNull();
  });

  it('becomes a plain word when its attachment is removed, and no other word does', () => {
    expect(withoutMention('to @a.py, @a.pyx and @a.py', 'a.py')).toBe('to a.py, @a.pyx and a.py');
  });

  it('is marked in the names', () => {
    expect(marked('src/Clean.py', 'cl')).toEqual(['src/', 'Cl', 'ean.py']);
    expect(marked('clean.py', 'cp')).toEqual(['clean.py', '', '']);
  });
});

it('shows the group of what fits best first', () => {
  const mention = (group: Mention['group'], label: string): Mention => ({
    group,
    label,
    detail: '',
    word: label,
    attachment: { kind: 'file', label, path: label },
  });
  const found = [mention('files', 'clean.py'), mention('cells', 'Cell 1'), mention('files', 'cl')];
  const labels = grouped(found).map(group => group.map(({ label }) => label));
  expect(labels).toEqual([['clean.py', 'cl'], ['Cell 1']]);
});

describe('attachments', () => {
  it('hold the same thing once, and only so many', () => {
    const attachments = new Attachments();
    const heard: boolean[] = [];
    attachments.subscribe(added => heard.push(added));
    attachments.add({ kind: 'file', label: 'a', path: 'a' });
    attachments.add({ kind: 'document', label: 'a', path: 'a' });
    expect(attachments.list).toEqual([{ kind: 'document', label: 'a', path: 'a' }]);
    for (let index = 1; index < MAX_ATTACHMENTS; index += 1) {
      expect(attachments.add({ kind: 'file', label: 'b', path: `b${index}` })).toBe(true);
    }
    expect(attachments.add({ kind: 'file', label: 'c', path: 'c' })).toBe(false);
    expect(attachments.take()).toHaveLength(MAX_ATTACHMENTS);
    expect(attachments.list).toEqual([]);
    expect(heard.slice(-2)).toEqual([true, false]);
  });
});

describe('files of the user', () => {
  const takes = { agent: 'Demo', images: true };
  const read = (file: File, images = true) => fromLocalFile(file, { ...takes, images }, identity);
  const sized = (name: string, type: string, size: number) =>
    new File([new Uint8Array(size).fill(97)], name, { type });

  it('become images and texts', async () => {
    expect(await read(new File(['ab'], 'a.png', { type: 'image/png' }))).toEqual({
      kind: 'image',
      label: 'a.png',
      data: 'YWI=',
      mimeType: 'image/png',
    });
    expect(await read(new File(['é'], 'a.py'))).toEqual({
      kind: 'text',
      label: 'a.py',
      text: 'é',
      mimeType: 'text/plain',
    });
  });

  it('are refused in words', async () => {
    await expect(read(sized('a.png', 'image/png', 1), false)).rejects.toThrow(
      'Demo does not take images',
    );
    await expect(read(sized('a.tif', 'image/tiff', 1))).rejects.toThrow('only PNG');
    await expect(read(sized('a.png', 'image/png', MAX_IMAGE_BYTES + 1))).rejects.toThrow('5 MB');
    await expect(read(sized('a.txt', 'text/plain', MAX_TEXT_BYTES + 1))).rejects.toThrow('200 kB');
    await expect(read(new File([new Uint8Array([0, 1])], 'a.bin'))).rejects.toThrow('neither');
    await expect(read(new File([new Uint8Array([255, 254])], 'a.x'))).rejects.toThrow('neither');
  });
});
