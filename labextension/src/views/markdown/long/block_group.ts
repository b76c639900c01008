import type { Token } from 'marked';

import type { BlockPart } from './split_blocks';

/** A finished block: its source, its words, and its element while it is drawn. */
export interface Block extends Pick<BlockPart, 'raw' | 'carry' | 'hasNext'> {
  /** Its offset in the whole text. */
  readonly start: number;
  text: string;
  /** Its tokens; `null` once its words are known. */
  token: Token | null;
  /** The HTML that its element was made from; `null` if it was never drawn. */
  html: string | null;
  element: Element | null;
  near: boolean;
}

/** A block that is not drawn yet; `at` is the offset of the piece's text. */
export function blockOf({ token, raw, carry, hasNext, start }: BlockPart, at: number): Block {
  return {
    ...{ raw, carry, hasNext, token, start: at + start },
    ...{ text: '', html: null, element: null, near: true },
  };
}

/** Number of characters of a group. */
const FULL = 6_144;

/** Number of blocks of a group, so that it has few elements, too. */
const MAX_BLOCKS = 96;

/** Class of the element that replaces a group, while it is out of view. */
export const PLACEHOLDER_CLASS = 'acp-unseen';

/**
 * Consecutive finished blocks, which are drawn together, or are plain text in one element while
 * they are out of sight. That text is found, selected, copied and read aloud like the blocks.
 */
export class BlockGroup {
  readonly blocks: Block[] = [];
  private size = 0;
  private height = 0;

  /** `placeholder` is the element with the text; `null` if the blocks are drawn. */
  constructor(public placeholder: HTMLElement | null) {}

  get isFull(): boolean {
    return this.size >= FULL || this.blocks.length >= MAX_BLOCKS;
  }

  /** Its first element in the page. */
  get first(): Element | null {
    return this.placeholder ?? this.blocks.find(({ element }) => element !== null)?.element ?? null;
  }

  get isNear(): boolean {
    return this.blocks.some(({ near }) => near);
  }

  /** Adds a block after the others; `height` is an estimate. */
  add(block: Block, height: number): void {
    if (this.placeholder !== null) {
      const text = this.blocks.length > 0 ? `\n\n${block.text}` : block.text;
      const { firstChild: node } = this.placeholder;
      if (node instanceof Text) {
        node.appendData(text);
      } else {
        this.placeholder.append(text);
      }
      this.resize(this.height + height);
    }
    this.blocks.push(block);
    this.size += block.raw.length;
  }

  /** Updates the text after its blocks have changed. */
  rewrite(heightOf: (block: Block) => number): void {
    this.size = this.blocks.reduce((sum, { raw }) => sum + raw.length, 0);
    if (this.placeholder !== null) {
      this.placeholder.textContent = textOf(this.blocks);
      this.resize(this.blocks.reduce((sum, block) => sum + heightOf(block), 0));
    }
  }

  /** The element that replaces its elements, with the same height, so that nothing moves. */
  measure(): { readonly height: number; readonly top: string; readonly bottom: string } | null {
    const first = this.blocks[0]?.element ?? null;
    const last = this.blocks[this.blocks.length - 1]?.element ?? null;
    if (first === null || last === null) {
      return null;
    }
    const height = last.getBoundingClientRect().bottom - first.getBoundingClientRect().top;
    return {
      height,
      top: getComputedStyle(first).marginTop,
      bottom: getComputedStyle(last).marginBottom,
    };
  }

  /** Replaces the elements by the text. */
  hide({ height, top, bottom }: NonNullable<ReturnType<BlockGroup['measure']>>): HTMLElement {
    const placeholder = createPlaceholder(textOf(this.blocks));
    placeholder.style.marginBlock = `${top} ${bottom}`;
    this.first?.before(placeholder);
    for (const block of this.blocks) {
      block.element?.remove();
      block.element = null;
      block.near = false;
    }
    this.placeholder = placeholder;
    this.resize(height);
    return placeholder;
  }

  private resize(height: number): void {
    this.height = height;
    if (this.placeholder !== null) {
      this.placeholder.style.height = `${Math.round(height * 100) / 100}px`;
    }
  }
}

/** The element with the text of blocks, while it is out of view. */
export function createPlaceholder(text = ''): HTMLElement {
  const placeholder = document.createElement('div');
  placeholder.className = PLACEHOLDER_CLASS;
  placeholder.textContent = text;
  return placeholder;
}

function textOf(blocks: readonly Block[]): string {
  return blocks.map(({ text }) => text).join('\n\n');
}
