import type { Token } from 'marked';

import type { Piece } from './pieces';

/** A finished block: its source, its words, and its element while it is drawn. */
export interface Block extends Pick<Piece, 'raw' | 'carry' | 'goesOn'> {
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
export function blockOf({ token, raw, carry, goesOn, start }: Piece, at: number): Block {
  return {
    ...{ raw, carry, goesOn, token, start: at + start },
    ...{ text: '', html: null, element: null, near: true },
  };
}

/** Number of characters of a stretch. */
const FULL = 6_144;

/** Number of blocks of a stretch, so that it has few elements, too. */
const MAX_BLOCKS = 96;

/** Class of the element that replaces a stretch out of sight. */
export const UNSEEN = 'acp-unseen';

/**
 * Consecutive finished blocks, which are drawn together, or are plain text in one element while
 * they are out of sight. That text is found, selected, copied and read aloud like the blocks.
 */
export class Stretch {
  readonly blocks: Block[] = [];
  private size = 0;
  private height = 0;

  /** `stand` is the element with the text; `null` if the blocks are drawn. */
  constructor(public stand: HTMLElement | null) {}

  get isFull(): boolean {
    return this.size >= FULL || this.blocks.length >= MAX_BLOCKS;
  }

  /** Its first element in the page. */
  get first(): Element | null {
    return this.stand ?? this.blocks.find(({ element }) => element !== null)?.element ?? null;
  }

  get isNear(): boolean {
    return this.blocks.some(({ near }) => near);
  }

  /** Adds a block after the others; `height` is an estimate. */
  add(block: Block, height: number): void {
    if (this.stand !== null) {
      const text = this.blocks.length > 0 ? `\n\n${block.text}` : block.text;
      const { firstChild: node } = this.stand;
      if (node instanceof Text) {
        node.appendData(text);
      } else {
        this.stand.append(text);
      }
      this.resize(this.height + height);
    }
    this.blocks.push(block);
    this.size += block.raw.length;
  }

  /** Updates the text after its blocks have changed. */
  rewrite(heightOf: (block: Block) => number): void {
    this.size = this.blocks.reduce((sum, { raw }) => sum + raw.length, 0);
    if (this.stand !== null) {
      this.stand.textContent = textOf(this.blocks);
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
  hide({ height, top, bottom }: NonNullable<ReturnType<Stretch['measure']>>): HTMLElement {
    const stand = standIn(textOf(this.blocks));
    stand.style.marginBlock = `${top} ${bottom}`;
    this.first?.before(stand);
    for (const block of this.blocks) {
      block.element?.remove();
      block.element = null;
      block.near = false;
    }
    this.stand = stand;
    this.resize(height);
    return stand;
  }

  private resize(height: number): void {
    this.height = height;
    if (this.stand !== null) {
      this.stand.style.height = `${Math.round(height * 100) / 100}px`;
    }
  }
}

/** The element with the text of blocks out of sight. */
export function standIn(text = ''): HTMLElement {
  const stand = document.createElement('div');
  stand.className = UNSEEN;
  stand.textContent = text;
  return stand;
}

function textOf(blocks: readonly Block[]): string {
  return blocks.map(({ text }) => text).join('\n\n');
}
