import type { DraftAttachment } from '../../state/attachments';
import type { Block } from '../../lab/context/content_blocks';
import type { Translate } from '../../views';
import { bytes, grouped, plural } from '../../views/i18n';
import { isRecord } from '../../wire/read';

type Kind = 'cell' | 'variable' | 'file' | 'selection' | 'image';

const KINDS: Record<DraftAttachment['kind'], Kind> = {
  ...{ cell: 'cell', error: 'cell', variable: 'variable', selection: 'selection', image: 'image' },
  ...{ file: 'file', document: 'file', text: 'file' },
};

/** Something that goes along with a prompt. */
export interface Going {
  readonly key: string;
  readonly kind: Kind;
  readonly label: string;
  /** What is sent; `null` if it can't be read. */
  readonly block: Block | null;
  /** Why it can't be read. */
  readonly words: string;
  /** Whether the user has taken it out for this prompt; it can be put back. */
  readonly isOut: boolean;
  readonly onToggle: () => void;
}

export function kindOf({ kind }: DraftAttachment): Kind {
  return KINDS[kind];
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

/** How many bytes a block takes. */
export function sizeOf(block: Block): number {
  const { data } = block;
  return typeof data === 'string'
    ? Math.floor(data.length * 0.75)
    : new TextEncoder().encode(textOfBlock(block)).length;
}

/** Characters of a token, on average. */
const TOKEN_CHARS = 4;

/** The line over the message box: `2 cells, 1 file: 4.1 kB, about 1,000 tokens`. */
export function summary(all: readonly Going[], t: Translate): string {
  const going = all.filter(({ isOut, block }) => !isOut && block !== null);
  if (going.length === 0) {
    return t('Nothing goes along');
  }
  const names: readonly (readonly [Kind, string, string])[] = [
    ['cell', '1 cell', '%1 cells'],
    ['variable', '1 variable', '%1 variables'],
    ['file', '1 file', '%1 files'],
    ['selection', '1 selection', '%1 selections'],
    ['image', '1 image', '%1 images'],
  ];
  const counts = names.flatMap(([kind, one, many]) => {
    const { length } = going.filter(each => each.kind === kind);
    return length === 0 ? [] : [plural(t, length, one, many)];
  });
  const blocks = going.flatMap(({ block }) => (block === null ? [] : [block]));
  const size = blocks.reduce((sum, block) => sum + sizeOf(block), 0);
  const texts = blocks.filter(block => pictureOf(block) === null);
  const chars = texts.reduce((sum, block) => sum + textOfBlock(block).length, 0);
  const parts = `${counts.join(', ')}: ${bytes(size)}`;
  return texts.length === 0
    ? parts
    : t('%1, about %2 tokens', parts, grouped(rounded(chars / TOKEN_CHARS)));
}

/** Rounds to two digits, since it is an estimate. */
function rounded(count: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, count))) - 1);
  return Math.max(1, Math.round(count / unit) * unit);
}
