import type { DraftAttachment } from '../../state/attachments';
import type { Block } from '../../lab/context/content_blocks';
import type { Translate } from '../../views';
import { bytes, grouped, plural } from '../../views/i18n';
import { isRecord } from '../../wire/read';

export type Kind = 'cell' | 'output' | 'variable' | 'file' | 'selection' | 'image' | 'text';

const KINDS: Record<DraftAttachment['kind'], Kind> = {
  ...{
    cell: 'cell',
    error: 'cell',
    output: 'output',
    variable: 'variable',
    selection: 'selection',
    image: 'image',
  },
  ...{ file: 'file', document: 'file', text: 'file' },
};

/** Something that goes along with a prompt. */
export interface Going {
  readonly key: string;
  readonly kind: Kind;
  readonly label: string;
  /** What is sent; `null` if it can't be read. */
  readonly block: Block | null;
  /** Its size in bytes, if the block has only a word for what is sent. */
  readonly size?: number | null;
  /** Why it can't be read, or in what other form it may go. */
  readonly words: string;
  /** Whether the user has taken it out for this prompt; it can be put back. */
  readonly isOut: boolean;
  readonly onToggle: () => void;
}

export function kindOf({ kind }: DraftAttachment): Kind {
  return KINDS[kind];
}

/** What a block of a prompt is, by its type and address. */
export function kindOfAddress(type: string, uri: string): Kind {
  const [, place = ''] = /^jupyter:(.*)$/.exec(uri) ?? [];
  if (/(?:^|\/)cell-\d+-output-\d+$/.test(place)) {
    return 'output';
  }
  if (type === 'image') {
    return 'image';
  }
  if (/(?:^|\/)variable\/[^/]+$/.test(place)) {
    return 'variable';
  }
  if (/(?:^|\/)cell-\d+$/.test(place)) {
    return 'cell';
  }
  return place !== '' || uri === '' ? 'text' : 'file';
}

/** The text of a block as the agent gets it, or the address of a file that it reads itself. */
export function textOfBlock(block: Block): string {
  const resource = isRecord(block['resource']) ? block['resource'] : {};
  const found = [block['text'], resource['text'], block['uri']];
  return found.find(each => typeof each === 'string') ?? '';
}

/** The picture of a block as an address for an element; `null` for none. */
export function pictureOf(block: Block): string | null {
  const { type, data, mimeType } = block;
  return type === 'image' && typeof data === 'string' && typeof mimeType === 'string'
    ? `data:${mimeType};base64,${data}`
    : null;
}

/** How many bytes a block takes; `size` if that is known otherwise. */
export function sizeOf(block: Block, size: number | null = null): number {
  if (size !== null) {
    return size;
  }
  const { data } = block;
  return typeof data === 'string'
    ? Math.floor(data.length * 0.75)
    : new TextEncoder().encode(textOfBlock(block)).length;
}

/** Characters of a token, on average. */
const TOKEN_CHARS = 4;

/** What is counted of a block. */
export interface Counted {
  readonly kind: Kind;
  /** In bytes; `null` if the agent reads it itself. */
  readonly size: number | null;
  /** How many characters of text it has; `null` for a picture. */
  readonly chars: number | null;
}

/** The line over the message box: `2 cells, 1 file: 4.1 kB, about 1,000 tokens`. */
export function summary(all: readonly Going[], t: Translate): string {
  const going = all.flatMap(({ kind, isOut, block, size = null }): Counted[] => {
    if (isOut || block === null) {
      return [];
    }
    const isText = size === null && pictureOf(block) === null;
    return [{ kind, size: sizeOf(block, size), chars: isText ? textOfBlock(block).length : null }];
  });
  return going.length === 0 ? t('Nothing goes along') : countedWords(going, t);
}

/** How many of each kind there are, their size, and about how many tokens that is. */
export function countedWords(going: readonly Counted[], t: Translate): string {
  const names: readonly (readonly [Kind, string, string])[] = [
    ['cell', '1 cell', '%1 cells'],
    ['output', '1 output', '%1 outputs'],
    ['variable', '1 variable', '%1 variables'],
    ['file', '1 file', '%1 files'],
    ['selection', '1 selection', '%1 selections'],
    ['image', '1 image', '%1 images'],
    ['text', '1 text', '%1 texts'],
  ];
  const counts = names.flatMap(([kind, one, many]) => {
    const { length } = going.filter(each => each.kind === kind);
    return length === 0 ? [] : [plural(t, length, one, many)];
  });
  const sizes = going.flatMap(({ size }) => size ?? []);
  const texts = going.flatMap(({ chars }) => chars ?? []);
  const words = counts.join(', ');
  const parts = sizes.length === 0 ? words : `${words}: ${bytes(sum(sizes))}`;
  return texts.length === 0
    ? parts
    : t('%1, about %2 tokens', parts, grouped(rounded(sum(texts) / TOKEN_CHARS)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}

/** Rounds to two digits, since it is an estimate. */
function rounded(count: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, count))) - 1);
  return Math.max(1, Math.round(count / unit) * unit);
}
